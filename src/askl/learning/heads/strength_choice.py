"""Choose a strength from the path by rows that the head has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from askl.learning.heads.head_problem import HeadProblem, normalise
from askl.learning.heads.penalty_path import STRENGTHS, TOLERANCE, PathPoint, walk_penalty_path

# The choice ends after this many strengths in a row that were no better than the best, or after
# this many iterations of the solver: the weakest penalties take the most.
PATIENCE = 3
MAX_ITERATIONS = 200

# From the heads of one strength (of all rows, then of each fold) to outputs for unseen rows.
Predict: TypeAlias = Callable[[Sequence[PathPoint]], Tensor]


class FeatureRows(NamedTuple):
    """Rows by their features, with targets and sample weights.

    Attributes
    ----------
    features : Tensor of shape (n_samples, width)
        As the model computes them, not rotated.
    targets : Tensor of shape (n_samples,)
    sample_weights : Tensor of shape (n_samples,), optional
    """

    features: Tensor
    targets: Tensor
    sample_weights: Tensor | None = None


class StrengthChoice(NamedTuple):
    """The strength with the best score, and the whole path.

    Attributes
    ----------
    best : PathPoint
        The head of all rows of the problem at the chosen strength.
    score : float
        Its mean score on rows it has not seen, lower is better.
    path : list of PathPoint
        Heads of all rows. It ends early if the scores no longer improve.
    scores : list of float
        One for each point of the path.
    outputs : Tensor of shape (n_samples, n_outputs), float64
        The outputs that ``score`` is computed from, of heads that have not seen the row.
    """

    best: PathPoint
    score: float
    path: list[PathPoint]
    scores: list[float]
    outputs: Tensor


def choose_strength(
    problem: HeadProblem,
    head_norm: str = "frobenius",
    strengths: Sequence[float] = STRENGTHS,
    *,
    folds: Tensor | None = None,
    held_out: FeatureRows | None = None,
    tolerance: float = TOLERANCE,
    patience: int = PATIENCE,
    max_iterations: int = MAX_ITERATIONS,
) -> StrengthChoice:
    """Choose the strength with the best score on rows that the head has not seen.

    These are the held-out rows, or those of each fold in turn. Among equal scores the strongest
    strength is chosen.

    Folds leave rows out of the head, not out of the features. Features that were learned on these
    rows know their targets: then all scores are far too good, and the chosen strength is too weak.
    For learned features, give held-out rows that the features have not seen.

    Parameters
    ----------
    problem : HeadProblem
    head_norm : {"trace", "frobenius"}
    strengths : sequence of float
        Each in (0, 1].
    folds : Tensor of shape (n_samples,), optional
        The number of each row's fold, from 0. For features that are not learned.
    held_out : FeatureRows, optional
        Either these or ``folds``.
    tolerance : float, default=1e-2
        Of each solution.
    patience : int, default=3
        End the path after this many strengths in a row that were no better than the best.
    max_iterations : int, default=200
        End the path once its solutions have taken this many iterations.

    Returns
    -------
    StrengthChoice

    Examples
    --------
    >>> import torch
    >>> from askl.learning.heads.head_problem import make_head_problem
    >>> generator = torch.Generator().manual_seed(0)
    >>> features = torch.randn(60, 5, generator=generator)
    >>> noise = torch.randn(60, generator=generator)
    >>> problem = make_head_problem(features, (features[:, 0] + noise > 0).long(), "log", 2)
    >>> folds = torch.arange(60) % 5
    >>> choice = choose_strength(problem, strengths=[1.0, 0.1, 0.001], folds=folds)
    >>> choice.best.strength, len(choice.scores)
    (0.1, 3)
    """
    parts: list[HeadProblem] = []
    if held_out is not None:
        predict: Predict = partial(_predict, held_out.features)
        targets = held_out.targets
        shares = normalise(held_out.sample_weights, len(targets))
    elif folds is not None:
        parts = [_without(problem, folds == number) for number in range(int(folds.max()) + 1)]
        predict = partial(_out_of_fold, folds, parts)
        targets, shares = problem.targets, problem.shares
    else:
        raise ValueError("Choosing a strength needs 'folds' or 'held_out'. Give one of them.")
    walks = [
        walk_penalty_path(part, head_norm, strengths, tolerance=tolerance)
        for part in [problem, *parts]
    ]
    path: list[PathPoint] = []
    scores: list[float] = []
    n_iterations, best, judged = 0, 0, problem.outputs(problem.zeros())
    for points in zip(*walks, strict=True):
        outputs = predict(points)
        values, _ = (problem.loss.score or problem.loss.evaluate)(outputs, targets)
        path.append(points[0])
        scores.append(float(values @ shares))
        if len(scores) == 1 or scores[-1] < scores[best]:
            best, judged = len(scores) - 1, outputs
        n_iterations += points[0].n_iterations
        if len(scores) - 1 - best >= patience or n_iterations >= max_iterations:
            break
    return StrengthChoice(path[best], scores[best], path, scores, judged)


def _predict(features: Tensor, points: Sequence[PathPoint]) -> Tensor:
    outputs = (features @ points[0].weights.to(features.dtype)).double()
    return outputs if points[0].intercept is None else outputs + points[0].intercept


def _without(problem: HeadProblem, rows: Tensor) -> HeadProblem:
    """Give some rows no weight: they are left out, and nothing has to be copied."""
    shares = problem.shares.masked_fill(rows, 0.0)
    return problem._replace(shares=shares / shares.sum())


def _out_of_fold(
    folds: Tensor, parts: Sequence[HeadProblem], points: Sequence[PathPoint]
) -> Tensor:
    outputs = parts[0].outputs(points[1].coordinates)
    for number, (part, point) in enumerate(zip(parts, points[1:], strict=True)):
        rows = folds == number
        outputs[rows] = part.outputs(point.coordinates)[rows]
    return outputs


def stratified_folds(targets: Tensor, n_folds: int, generator: torch.Generator) -> Tensor:
    """Distribute the rows of each class evenly over folds, in a random order.

    Parameters
    ----------
    targets : Tensor of shape (n_samples,)
        Class indices.
    n_folds : int
    generator : torch.Generator

    Returns
    -------
    Tensor of shape (n_samples,)
        The number of each row's fold.

    Examples
    --------
    >>> import torch
    >>> targets = torch.tensor([0, 0, 0, 0, 1, 1])
    >>> folds = stratified_folds(targets, 2, torch.Generator().manual_seed(0))
    >>> folds[:4].bincount().tolist(), folds[4:].bincount().tolist()
    ([2, 2], [1, 1])
    """
    shuffled = torch.randperm(len(targets), generator=generator)
    by_class = shuffled[targets[shuffled].argsort(stable=True)]
    folds = torch.empty_like(by_class)
    folds[by_class] = torch.arange(len(targets)) % n_folds
    return folds
