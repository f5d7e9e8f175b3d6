"""Norms of the head, and the squared norm of the features.

A new penalty of the head is two functions, value and proximal step, and one row of
:data:`HEAD_NORMS`. With an :class:`UnsquaredNorm` in its row, the head can be solved too.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from askl.learning.norms.head_norm import HeadNorm, UnsquaredNorm
from askl.learning.norms.singular_values import gram_singular, right_singular, singular_values
from askl.spectral.kernels import kernel_diagonal


def trace_norm(weights: Tensor) -> Tensor:
    """Compute ‖W‖_*, the sum of singular values.

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)

    Returns
    -------
    Tensor of shape (), float64

    Examples
    --------
    >>> import torch
    >>> trace_norm(torch.tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    tensor(5., dtype=torch.float64)
    """
    if weights.shape[1] == 1:
        return weights.double().square().sum().sqrt()
    return gram_singular(weights)[0].sum()


def prox_trace_norm(weights: Tensor, threshold: float) -> Tensor:
    """Shrink every singular value by the threshold: singular value thresholding, equation 8.

    The minimiser over V of ½‖V - W‖_F² + threshold · ‖V‖_*. It is W times a K × K matrix that
    follows from WᵀW, so the D × K matrix itself is never decomposed.

    Parameters
    ----------
    weights : Tensor of shape (n_components, n_outputs)
    threshold : float
        η λ₁.

    Returns
    -------
    Tensor of shape (n_components, n_outputs)

    Examples
    --------
    >>> import torch
    >>> prox_trace_norm(torch.tensor([[3.0, 0.0], [0.0, 0.5], [0.0, 0.0]]), 1.0)
    tensor([[2., 0.],
            [0., 0.],
            [0., 0.]])
    """
    if weights.shape[1] == 1:
        norm = weights.square().sum().sqrt()
        return weights * ((norm - threshold).clamp(min=0.0) / norm.clamp(min=1e-30))
    values, vectors = gram_singular(weights)
    shrink = (values - threshold).clamp(min=0.0) / values.clamp(min=1e-30)
    factor = ((vectors * shrink) @ vectors.t()).to(weights.dtype)
    return weights @ factor if weights.shape[0] >= weights.shape[1] else factor @ weights


def squared_frobenius_norm(weights: Tensor) -> Tensor:
    """Compute ‖W‖_F².

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)

    Returns
    -------
    Tensor of shape (), float64

    Examples
    --------
    >>> import torch
    >>> squared_frobenius_norm(torch.tensor([[3.0], [4.0]]))
    tensor(25., dtype=torch.float64)
    """
    return weights.double().square().sum()


def prox_squared_frobenius(weights: Tensor, threshold: float) -> Tensor:
    """Shrink all weights by one factor, to the minimiser of ½‖V - W‖_F² + threshold · ‖V‖_F².

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)
    threshold : float
        η λ₁.

    Returns
    -------
    Tensor of shape (width, n_outputs)

    Examples
    --------
    >>> import torch
    >>> prox_squared_frobenius(torch.tensor([[3.0]]), 1.0)
    tensor([[1.]])
    """
    # NOTE[DIFF]: in the paper ‖W‖_F² is part of the gradient. With a proximal step, both norms are
    # treated in the same way, and any threshold is stable.
    return weights / (1.0 + 2.0 * threshold)


def _round_trace(weights: Tensor, radius: float) -> tuple[Tensor, Tensor]:
    """‖W‖_* as the trace of (WᵀW + r²)^½; the metric is the inverse of that root."""
    values, vectors = right_singular(weights)
    roots = (values.square() + radius**2).sqrt()
    return roots.sum(), (vectors / roots) @ vectors.t()


def _round_frobenius(weights: Tensor, radius: float) -> tuple[Tensor, Tensor]:
    """‖W‖_F as sqrt(‖W‖_F² + r²); the metric is the identity over it."""
    value = (weights.square().sum() + radius**2).sqrt()
    return value, torch.eye(weights.shape[1], dtype=weights.dtype) / value


def _frobenius_penalty(threshold: float, weights: Tensor) -> float:
    """λ₁ with λ₁‖W‖_F² in place of μ‖W‖_F: at the solution, both have the same gradient."""
    size = float(weights.norm())
    return threshold / (2.0 * size) if size > 0.0 else math.inf


HEAD_NORMS: dict[str, HeadNorm] = {
    "trace": HeadNorm(
        trace_norm,
        prox_trace_norm,
        "‖W‖_*",
        unsquared=UnsquaredNorm(
            _round_trace,
            dual=lambda gradient: float(singular_values(gradient)[0]),
            penalty=lambda threshold, weights: threshold,
            has_corners=True,
        ),
    ),
    "frobenius": HeadNorm(
        squared_frobenius_norm,
        prox_squared_frobenius,
        "‖W‖²",
        is_ridge=True,
        unsquared=UnsquaredNorm(
            _round_frobenius,
            dual=lambda gradient: float(gradient.norm()),
            penalty=_frobenius_penalty,
        ),
    ),
}


def require_unsquared(head_norm: str) -> UnsquaredNorm:
    """Return how a norm is used to solve a head, or raise if its row does not say it."""
    norm = HEAD_NORMS[head_norm].unsquared
    if norm is None:
        raise ValueError(
            f"The head cannot be solved with the norm {head_norm!r}: its row of HEAD_NORMS has no "
            "'unsquared'. Add one, or set refit_head=False."
        )
    return norm


def squared_feature_norm(features: Tensor) -> Tensor:
    """Compute ‖φ(x)‖² = k(x, x) for each sample. Its mean is the penalty on the features.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width)

    Returns
    -------
    Tensor of shape (n_samples,)

    Examples
    --------
    >>> import torch
    >>> squared_feature_norm(torch.tensor([[1.0, 2.0]]))
    tensor([5.])
    """
    # NOTE[DIFF]: the paper sums ‖φ(X)‖_F² over all n samples in the objective, and averages it
    # over the batch in the gradient. We average in both, so that λ₂ does not depend on n.
    return kernel_diagonal(features)
