"""Norms of the head as a path of strengths takes them: not squared, with their dual norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.penalties import singular_values


class PathNorm(NamedTuple):
    """A norm with corners rounded off, its dual norm, and the project's penalty it stands for.

    Attributes
    ----------
    weigh : callable
        ``weigh(coordinates, rounding) -> (value, metric)``. The value is the norm with corners
        rounded off; its gradient is ``coordinates @ metric``.
    dual : callable
        ``dual(gradient) -> float``: the least multiple of the norm at which W stays zero.
    penalty : callable
        ``penalty(threshold, value)``: λ₁ of the project's penalty of the same solution.
    has_corners : bool
        Whether the norm has corners other than W = 0: heads of lower rank.
    """

    weigh: Callable[[Tensor, float], tuple[Tensor, Tensor]]
    dual: Callable[[Tensor], float]
    penalty: Callable[[float, float], float]
    has_corners: bool = False


def _weigh_frobenius(coordinates: Tensor, rounding: float) -> tuple[Tensor, Tensor]:
    """‖A‖_F as sqrt(‖A‖_F² + ε²); the metric is the identity over it."""
    value = (coordinates.square().sum() + rounding**2).sqrt()
    return value, torch.eye(coordinates.shape[1], dtype=coordinates.dtype) / value


def short_side(coordinates: Tensor) -> tuple[Tensor, Tensor]:
    """Return singular values and all right singular vectors.

    By the triangle of a QR decomposition: a Gram matrix would lose the small singular values.

    Parameters
    ----------
    coordinates : Tensor of shape (n_directions, n_contrasts)

    Returns
    -------
    values : Tensor of shape (n_contrasts,)
    vectors : Tensor of shape (n_contrasts, n_contrasts)

    Examples
    --------
    >>> import torch
    >>> short_side(torch.tensor([[3.0], [4.0]]))[0].round(decimals=4)
    tensor([5.])
    """
    triangle = torch.linalg.qr(coordinates, mode="r").R
    _, values, vectors = torch.linalg.svd(triangle, full_matrices=True)
    padding = coordinates.shape[1] - len(values)
    return torch.nn.functional.pad(values, (0, padding)), vectors.t()


def _weigh_trace(coordinates: Tensor, rounding: float) -> tuple[Tensor, Tensor]:
    """‖A‖_* as the trace of (AᵀA + ε²)^½; the metric is the inverse of that root."""
    values, vectors = short_side(coordinates)
    roots = (values.square() + rounding**2).sqrt()
    return roots.sum(), (vectors / roots) @ vectors.t()


def _frobenius_dual(gradient: Tensor) -> float:
    return float(gradient.norm())


def _trace_dual(gradient: Tensor) -> float:
    return float(singular_values(gradient)[0])


PATH_NORMS: dict[str, PathNorm] = {
    # The minimiser of f + λ‖W‖_F² is that of f + 2λ‖W‖_F · ‖W‖_F, the first factor held fixed.
    "frobenius": PathNorm(
        _weigh_frobenius,
        _frobenius_dual,
        lambda threshold, value: threshold / (2.0 * value) if value > 0.0 else float("inf"),
    ),
    "trace": PathNorm(
        _weigh_trace, _trace_dual, lambda threshold, value: threshold, has_corners=True
    ),
}
