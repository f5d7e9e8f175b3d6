"""L-BFGS for a convex loss plus a norm, preconditioned by the curvature of both."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from askl.learning.heads.head_problem import HeadProblem
from askl.learning.norms.head_norm import UnsquaredNorm

MEMORY = 20
MAX_ITERATIONS = 500
MAX_TRIALS = 30
# The conditions of Wolfe. The objective must decrease by at least this share of the step times the
# slope, and the new slope must be at most this share of the slope before the step.
LEAST_DECREASE = 1e-4
LARGEST_SLOPE = 0.9

History: TypeAlias = deque[tuple[Tensor, Tensor]]


class Solution(NamedTuple):
    """Coordinates at the optimum, and how they were reached.

    ``residual`` is the dual norm of the objective's gradient over the threshold.
    """

    coordinates: Tensor
    n_iterations: int
    residual: float


class _Objective(NamedTuple):
    """The mean loss + threshold · norm, the norm's corners rounded off."""

    problem: HeadProblem
    norm: UnsquaredNorm
    threshold: float
    rounding: float

    def at(self, coordinates: Tensor, outputs: Tensor) -> _Point:
        value, output_gradients = self.problem.smooth_part(outputs)
        size, metric = self.norm.rounded(coordinates[self.problem.n_free :], self.rounding)
        total = value + self.threshold * float(size)
        return _Point(coordinates, outputs, total, output_gradients, self.threshold * metric)

    def gradient(self, point: _Point) -> Tensor:
        gradient = self.problem.pull_back(point.output_gradients)
        free = self.problem.n_free
        gradient[free:] += point.coordinates[free:] @ point.metric
        return gradient

    def residual(self, gradient: Tensor) -> float:
        free = self.problem.n_free
        size = max(self.norm.dual(gradient[free:]), float(gradient[:free].norm()))
        return size / self.threshold


class _Point(NamedTuple):
    """The objective at some coordinates; the penalty's gradient is coordinates @ metric."""

    coordinates: Tensor
    outputs: Tensor
    value: float
    output_gradients: Tensor
    metric: Tensor


class _Line(NamedTuple):
    """The objective along a direction. Outputs are linear: a step costs no pass over features."""

    objective: _Objective
    start: _Point
    direction: Tensor
    in_contrasts: Tensor
    in_outputs: Tensor

    def at(self, step: float) -> tuple[_Point, float]:
        point = self.objective.at(
            self.start.coordinates + step * self.direction,
            self.start.outputs + step * self.in_outputs,
        )
        return point, self.slope(point)

    def slope(self, point: _Point) -> float:
        free = self.objective.problem.n_free
        penalised = (point.coordinates[free:] @ point.metric) * self.direction[free:]
        return float((point.output_gradients * self.in_contrasts).sum() + penalised.sum())


def minimise(
    problem: HeadProblem,
    norm: UnsquaredNorm,
    threshold: float,
    start: Tensor,
    *,
    tolerance: float,
    rounding: float,
) -> Solution:
    """Minimise the mean loss + threshold · norm.

    Parameters
    ----------
    problem : HeadProblem
    norm : UnsquaredNorm
    threshold : float
        The multiple of the norm.
    start : Tensor of shape (n_directions, n_contrasts)
    tolerance : float
        Stop where the gradient is at most this share of the threshold.
    rounding : float
        Radius, in singular values, at which the norm's corners are rounded off.

    Returns
    -------
    Solution
    """
    objective = _Objective(problem, norm, threshold, rounding)
    point = objective.at(start, problem.outputs(start))
    curvature = problem.mean_curvature(point.outputs)
    gradient = objective.gradient(point)
    history: History = deque(maxlen=MEMORY)
    for iteration in range(MAX_ITERATIONS):
        residual = objective.residual(gradient)
        if residual <= tolerance:
            return Solution(point.coordinates, iteration, residual)
        precondition = _preconditioner(problem, curvature, point.metric)
        direction = -_lbfgs(gradient, history, precondition)
        found = _search(objective, point, direction)
        if found is None and not history:
            return Solution(point.coordinates, iteration, residual)  # only rounding errors are left
        if found is None:
            history.clear()
            continue
        before = gradient
        gradient = objective.gradient(found)
        step, change = found.coordinates - point.coordinates, gradient - before
        if float((step * change).sum()) > 0.0:
            history.append((step, change))
        point = found
    return Solution(point.coordinates, MAX_ITERATIONS, objective.residual(gradient))


def _preconditioner(
    problem: HeadProblem, curvature: Tensor, metric: Tensor
) -> Callable[[Tensor], Tensor]:
    """Return the inverse of eigenvalue · curvature + metric for every direction."""
    basis, diagonal = common_basis(curvature, metric)
    scales = problem.eigenvalues[:, None] + diagonal
    scales[: problem.n_free] = problem.eigenvalues[: problem.n_free, None]
    return lambda gradient: ((gradient @ basis) / scales) @ basis.t()


def common_basis(curvature: Tensor, metric: Tensor) -> tuple[Tensor, Tensor]:
    """Return B and d with Bᵀ curvature B = 1 and Bᵀ metric B = diag(d).

    Parameters
    ----------
    curvature : Tensor of shape (n_contrasts, n_contrasts)
        Positive definite.
    metric : Tensor of shape (n_contrasts, n_contrasts)
        Positive semidefinite.

    Returns
    -------
    basis : Tensor of shape (n_contrasts, n_contrasts)
    diagonal : Tensor of shape (n_contrasts,)

    Examples
    --------
    >>> import torch
    >>> common_basis(torch.tensor([[4.0]]), torch.tensor([[2.0]]))
    (tensor([[0.5000]]), tensor([0.5000]))
    """
    root = torch.linalg.cholesky(curvature)
    half = torch.linalg.solve_triangular(root, metric, upper=False)
    whitened = torch.linalg.solve_triangular(root, half.t(), upper=False)
    diagonal, vectors = torch.linalg.eigh(0.5 * (whitened + whitened.t()))
    basis = torch.linalg.solve_triangular(root.t(), vectors, upper=True)
    return basis, diagonal.clamp(min=0.0)


def _lbfgs(gradient: Tensor, history: History, precondition: Callable[[Tensor], Tensor]) -> Tensor:
    """The two loops of L-BFGS around a preconditioner."""
    result = gradient.clone()
    past = []
    for step, change in reversed(history):
        inverse = 1.0 / float((step * change).sum())
        share = inverse * float((step * result).sum())
        result -= share * change
        past.append((step, change, inverse, share))
    result = precondition(result)
    for step, change, inverse, share in reversed(past):
        result += (share - inverse * float((change * result).sum())) * step
    return result


def _search(objective: _Objective, start: _Point, direction: Tensor) -> _Point | None:
    """Find a step that satisfies the conditions of Wolfe, by doubling and then by bracketing."""
    along = objective.problem.in_contrasts(direction)
    line = _Line(objective, start, direction, along, objective.problem.from_contrasts(along))
    slope = line.slope(start)
    if slope >= 0.0:
        return None
    slack = 1e-14 * abs(start.value)
    low, low_slope, high, step = 0.0, slope, float("inf"), 1.0
    for _ in range(MAX_TRIALS):
        point, new_slope = line.at(step)
        falls = point.value <= start.value + LEAST_DECREASE * step * slope + slack
        if falls and abs(new_slope) <= LARGEST_SLOPE * abs(slope):
            return point
        if falls and new_slope < 0.0:
            low, low_slope = step, new_slope
        else:
            high = step
        if high == float("inf"):
            step *= 4.0
        else:
            # Between two slopes of opposite sign, the secant estimates where the slope is zero.
            share = low_slope / (low_slope - new_slope) if new_slope > 0.0 else 0.5
            step = low + min(max(share, 0.1), 0.9) * (high - low)
    return None
