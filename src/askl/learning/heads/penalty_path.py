"""Heads along a path of strengths, from the null model (strength 1) downwards.

A strength is a share of λ_max: with a norm N and its dual norm N*, W = 0 is optimal for
f(W) + μ N(W) if and only if μ ≥ N*(∇f(0)) = λ_max. At the strength s < 1 the optimum has
N*(∇f(W)) = s λ_max: the share s of the gradient at the null model remains.

For the trace norm N* is the largest singular value, and λ₁ = s λ_max. The squared Frobenius norm
has no λ_max, but its path is that of the norm itself: the optimum of f + μ‖W‖_F is that of
f + λ₁‖W‖_F² for λ₁ = μ / (2‖W‖_F). So the same share of N*(∇f(0)) = ‖∇f(0)‖_F is its strength. For
two classes or one output both norms have the same solution at the same strength.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.heads.head_problem import HeadProblem
from askl.learning.heads.lbfgs import Solution, minimise
from askl.learning.norms.head_norm import UnsquaredNorm
from askl.learning.norms.singular_values import right_singular, singular_values
from askl.learning.penalties import require_unsquared

# Three strengths for each power of ten.
STRENGTHS = tuple(10.0 ** (-power / 3.0) for power in range(13))
TOLERANCE = 1e-2
# The corners of the trace norm are rounded off, with radii that decrease: with a large radius the
# optimum is found fast, and it is close to the next one. The last radius is this share of the
# tolerance, but not so small that float64 loses small singular values beside large ones.
FIRST_ROUNDING = 0.1
LAST_ROUNDING = 1e-2
LEAST_ROUNDING = 1e-8
# With the last radius r, singular values below this number times r count as zero.
ZERO_ROUNDINGS = 3.0


class PathPoint(NamedTuple):
    """The head at one strength.

    Attributes
    ----------
    strength : float
        Relative to where W is zero.
    threshold : float
        The strength times λ_max: the multiple of the norm, not squared.
    penalty : float
        λ₁ of the project's objective, of which this head is the optimum.
    weights : Tensor of shape (width, n_outputs), float64
    intercept : Tensor of shape (n_outputs,) or None
    loss : float
        Mean loss of the training rows.
    trace_norm, frobenius_norm : float
        Norms of the weights, neither squared.
    rank : int
    n_iterations : int
    residual : float
        Norm of the gradient of the objective, as a share of the strength.
    coordinates : Tensor of shape (n_directions, n_contrasts)
        The weights as :class:`HeadProblem` has them.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import make_head_problem, walk_penalty_path
    >>> problem = make_head_problem(torch.eye(2), torch.tensor([0, 1]), "log", 2)
    >>> null, point = walk_penalty_path(problem, "trace", [1.0, 0.5])
    >>> null.rank, point.rank, round(point.threshold, 4)
    (0, 1, 0.25)
    """

    strength: float
    threshold: float
    penalty: float
    weights: Tensor
    intercept: Tensor | None
    loss: float
    trace_norm: float
    frobenius_norm: float
    rank: int
    n_iterations: int
    residual: float
    coordinates: Tensor


def null_head(problem: HeadProblem) -> Tensor:
    """Return the coordinates of W = 0, with the best intercept if there is one."""
    coordinates = problem.zeros()
    if problem.n_free:
        alone = problem._replace(
            features=problem.features[:, :1], eigenvalues=problem.eigenvalues[:1]
        )
        # Only the intercept is solved for, which has no penalty: any norm gives the same result.
        norm, start = require_unsquared("frobenius"), coordinates[:1]
        coordinates[:1] = minimise(
            alone, norm, 1.0, start, tolerance=1e-6, rounding=1.0
        ).coordinates
    return coordinates


def lambda_max(problem: HeadProblem, head_norm: str) -> float:
    """Compute the smallest multiple of the norm at which W = 0 is optimal: the strength 1.

    Parameters
    ----------
    problem : HeadProblem
    head_norm : {"trace", "frobenius"}

    Returns
    -------
    float
        The dual norm of the loss's gradient at W = 0: its largest singular value, or its
        Frobenius norm.

    Examples
    --------
    >>> import torch
    >>> from askl.learning.heads.head_problem import make_head_problem
    >>> problem = make_head_problem(torch.eye(2), torch.tensor([0, 1]), "log", 2)
    >>> round(lambda_max(problem, "trace"), 4)
    0.5
    """
    return _scale(problem, require_unsquared(head_norm), null_head(problem))[0]


def _scale(problem: HeadProblem, norm: UnsquaredNorm, null: Tensor) -> tuple[float, Tensor]:
    """Return λ_max and the gradient at W = 0."""
    _, output_gradients = problem.smooth_part(problem.outputs(null))
    gradient = problem.pull_back(output_gradients)[problem.n_free :]
    return norm.dual(gradient), gradient


def walk_penalty_path(
    problem: HeadProblem,
    head_norm: str = "frobenius",
    strengths: Sequence[float] = STRENGTHS,
    *,
    tolerance: float = TOLERANCE,
) -> Iterator[PathPoint]:
    """Solve the head for one strength after another, each from the solution before.

    Parameters
    ----------
    problem : HeadProblem
    head_norm : {"trace", "frobenius"}
    strengths : sequence of float
        From strong to weak, each in (0, 1]; 1 is W = 0.
    tolerance : float, default=1e-2
        Largest gradient of the objective at a solution, as a share of the strength.

    Yields
    ------
    PathPoint

    Examples
    --------
    >>> import torch
    >>> from askl.learning import make_head_problem, walk_penalty_path
    >>> problem = make_head_problem(torch.eye(2), torch.tensor([0, 1]), "log", 2)
    >>> path = walk_penalty_path(problem, "trace", [1.0, 0.5, 0.1], tolerance=1e-6)
    >>> [round(point.trace_norm, 3) for point in path]
    [0.0, 1.099, 2.944]
    """
    norm, null = require_unsquared(head_norm), null_head(problem)
    most, gradient = _scale(problem, norm, null)
    current = null
    for strength in sorted(strengths, reverse=True):
        if strength >= 1.0 or most == 0.0:
            yield _describe(problem, norm, strength, most, Solution(null, 0, 0.0))
            continue
        if current is null:
            current = _first_guess(problem, null, gradient, strength)
        solution = _solve(problem, norm, strength * most, current, tolerance)
        current = solution.coordinates
        yield _describe(problem, norm, strength, most, solution)


def _first_guess(problem: HeadProblem, null: Tensor, gradient: Tensor, strength: float) -> Tensor:
    """Solve the quadratic model at W = 0: ridge, at the strength that is asked for."""
    factors, vectors = torch.linalg.eigh(problem.mean_curvature(problem.outputs(null)))
    rotated = gradient @ vectors
    scales = problem.eigenvalues[problem.n_free :, None] * factors
    wanted = strength * float(gradient.norm())
    low, high = 1e-12 * float(scales.max()), 1e12 * float(scales.max())
    for _ in range(60):
        middle = (low * high) ** 0.5
        held_back = middle * float((rotated / (scales + middle)).norm())
        low, high = (middle, high) if held_back < wanted else (low, middle)
    guess = null.clone()
    guess[problem.n_free :] = -(rotated / (scales + high)) @ vectors.t()
    return guess


def _solve(
    problem: HeadProblem, norm: UnsquaredNorm, threshold: float, start: Tensor, tolerance: float
) -> Solution:
    """Minimise, with ever sharper corners if the norm has corners at heads that are not zero."""
    share = last = LAST_ROUNDING * tolerance
    if norm.has_corners and start.shape[1] > 1:
        share, last = FIRST_ROUNDING, max(last, LEAST_ROUNDING)
    free, solution, total = problem.n_free, Solution(start, 0, 0.0), 0
    while True:
        rounding = share * float(solution.coordinates[free:].norm())
        solution = minimise(
            problem,
            norm,
            threshold,
            solution.coordinates,
            tolerance=max(tolerance, share),
            rounding=rounding,
        )
        total += solution.n_iterations
        if share <= last:
            break
        share = max(0.1 * share, last)
    coordinates = solution.coordinates.clone()
    coordinates[free:] = _without_small(coordinates[free:], ZERO_ROUNDINGS * rounding)
    return solution._replace(coordinates=coordinates, n_iterations=total)


def _without_small(weights: Tensor, least: float) -> Tensor:
    """Set singular values below a limit to zero."""
    values, vectors = right_singular(weights)
    kept = vectors[:, values >= least]
    return weights if kept.shape == vectors.shape else weights @ kept @ kept.t()


def _describe(
    problem: HeadProblem, norm: UnsquaredNorm, strength: float, most: float, solution: Solution
) -> PathPoint:
    coordinates, free = solution.coordinates, problem.n_free
    weights, intercept = problem.head(coordinates)
    values = singular_values(coordinates[free:])
    frobenius = float(values.norm())
    loss, _ = problem.smooth_part(problem.outputs(coordinates))
    threshold = strength * most
    return PathPoint(
        strength, threshold, norm.penalty(threshold, coordinates[free:]), weights, intercept, loss,
        float(values.sum()), frobenius, int((values > 1e-9 * frobenius).sum()),
        solution.n_iterations, solution.residual, coordinates,
    )  # fmt: skip
