"""The last stage of a classification: solve the head, its strength chosen on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.heads.head_problem import HeadProblem, make_head_problem
from askl.learning.heads.penalty_path import STRENGTHS, walk_penalty_path
from askl.learning.heads.strength_choice import FeatureRows, choose_strength
from askl.learning.losses import LOSSES
from askl.learning.model import Model, compute_features
from askl.learning.sources import BLOCK_ROWS, Source, Split

# All features are in memory at once: with more numbers than this, some rows are left out.
MAX_FEATURE_NUMBERS = 2**27
# The null model is not among the strengths to choose from: few rows choose it by chance.
CHOSEN_STRENGTHS = STRENGTHS[1:]


class SolvedHead(NamedTuple):
    """How the head was solved.

    Attributes
    ----------
    strength : float or None
        Relative to where W is zero: 1 is the null model. None where the trained head was kept.
    scores : dict of float to float
        Mean score of the held-out rows by strength, lower is better; empty where the strength
        was given.
    """

    strength: float | None
    scores: dict[float, float]


def solve_classifier_head(
    model: Model,
    split: Split,
    loss: str,
    head_norm: str,
    strength: float | None = None,
    *,
    strengths: Sequence[float] = CHOSEN_STRENGTHS,
    block_rows: int = BLOCK_ROWS,
    max_numbers: int = MAX_FEATURE_NUMBERS,
) -> SolvedHead:
    """Replace the head by the optimum of its convex problem, unless the trained head is better.

    The strength must be chosen on rows that the features were not learned from: on their own
    rows, features predict far better than elsewhere. The chosen head is then solved again on all
    rows.

    Parameters
    ----------
    model : Model
        Its weights are overwritten.
    split : Split
    loss : str
        A key of :data:`askl.learning.LOSSES`, with a curvature.
    head_norm : {"trace", "frobenius"}
    strength : float or None
        In (0, 1]. None: held-out rows choose one of ``strengths``, or to keep the trained head.
    strengths : sequence of float
    block_rows : int
        Rows to process at a time.
    max_numbers : int
        Numbers of the features to hold in memory at most.

    Returns
    -------
    SolvedHead
    """
    features = collect_features(model, split.train, block_rows, max_numbers)
    scores: dict[float, float] = {}
    if strength is None:
        if split.held_out is None:
            raise ValueError("Choosing the strength of the head needs held-out rows.")
        held_out = collect_features(model, split.held_out, block_rows, max_numbers)
        problem = _state(features, loss, model)
        choice = choose_strength(problem, head_norm, strengths, held_out=held_out)
        scores = {
            point.strength: score for point, score in zip(choice.path, choice.scores, strict=True)
        }
        if _score(held_out, model.weights, loss) <= choice.score:
            return SolvedHead(None, scores)
        strength = choice.best.strength
    if split.held_out is not None and split.held_out_joins:
        features = _join(features, collect_features(model, split.held_out, block_rows, max_numbers))
    (point,) = walk_penalty_path(_state(features, loss, model), head_norm, [strength])
    model.weights.copy_(point.weights)
    return SolvedHead(strength, scores)


@torch.no_grad()
def collect_features(model: Model, rows: Source, block_rows: int, max_numbers: int) -> FeatureRows:
    """Compute the features of all rows, or of every second, third, ... row if there are too many.

    Parameters
    ----------
    model : Model
    rows : Source
    block_rows : int
        Rows to process at a time.
    max_numbers : int
        Numbers of the features to hold in memory at most.

    Returns
    -------
    FeatureRows
        Features with their targets and sample weights.
    """
    width = model.layers[-1].width
    every = max(1, -(-rows.n_samples * width // max_numbers))
    parts = []
    for batch in rows.blocks(block_rows):
        weights = None if batch.sample_weights is None else batch.sample_weights[::every]
        features = compute_features(batch.inputs[::every], model.layers)
        parts.append(FeatureRows(features, batch.targets[::every], weights))
    return _join(*parts)


def _join(*parts: FeatureRows) -> FeatureRows:
    """Join some rows; those without weights count as one each if others have weights."""
    weights = None
    if any(part.sample_weights is not None for part in parts):
        weights = torch.cat([_weights_or_ones(part) for part in parts])
    return FeatureRows(
        torch.cat([part.features for part in parts]),
        torch.cat([part.targets for part in parts]),
        weights,
    )


def _weights_or_ones(rows: FeatureRows) -> Tensor:
    ones = rows.features.new_ones(len(rows.targets))
    return ones if rows.sample_weights is None else rows.sample_weights


def _state(rows: FeatureRows, loss: str, model: Model) -> HeadProblem:
    return make_head_problem(
        rows.features,
        rows.targets,
        loss,
        model.weights.shape[1],
        sample_weights=rows.sample_weights,
    )


def _score(rows: FeatureRows, weights: Tensor, loss: str) -> float:
    """Compute the mean score of a head on some rows, lower is better."""
    row = LOSSES[loss]
    values, _ = (row.score or row.evaluate)((rows.features @ weights).double(), rows.targets)
    if rows.sample_weights is None:
        return float(values.mean())
    shares = rows.sample_weights.double() / rows.sample_weights.double().sum()
    return float(values @ shares)
