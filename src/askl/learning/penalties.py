"""Norms of the head with their proximal steps, and the squared norm of the features.

A new penalty of the head is two functions, value and proximal step, and one row of
:data:`HEAD_NORMS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from askl.spectral.kernels import kernel_diagonal


def _gram_eigen(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return the singular values, and the singular vectors of the shorter side, in float64.

    They come from the Gram matrix, which is cheap because it is K × K. It squares the condition
    number: hence float64.
    """
    tall = weights.double() if weights.shape[0] >= weights.shape[1] else weights.double().t()
    squares, vectors = torch.linalg.eigh(tall.t() @ tall)
    return squares.clamp_(min=0.0).sqrt_(), vectors


def singular_values(weights: Tensor) -> Tensor:
    """Return the singular values of the head, largest first, in float64.

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)

    Returns
    -------
    Tensor of shape (min(width, n_outputs),), float64

    Examples
    --------
    >>> import torch
    >>> singular_values(torch.tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])).round(decimals=4)
    tensor([3., 2.], dtype=torch.float64)
    """
    values: Tensor = torch.linalg.svdvals(weights.double())
    return values


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
    return _gram_eigen(weights)[0].sum()


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
    values, vectors = _gram_eigen(weights)
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


class HeadNorm(NamedTuple):
    """One row of :data:`HEAD_NORMS`: a norm of the head, and its proximal step.

    Attributes
    ----------
    value : callable
        ``value(weights) -> Tensor`` of shape (), float64.
    prox : callable
        ``prox(weights, threshold) -> Tensor`` of the shape of the weights.
    symbol : str, default="‖W‖"
        How tables and reports write it.
    is_ridge : bool, default=False
        Whether the squared loss with this norm is ridge regression, so that λ₁ is the strength
        of an exact head too.

    Examples
    --------
    >>> import torch
    >>> norm = HEAD_NORMS["frobenius"]
    >>> head = torch.tensor([[3.0], [4.0]])
    >>> float(norm.value(head)), float(norm.value(norm.prox(head, 0.5)))
    (25.0, 6.25)
    """

    value: Callable[[Tensor], Tensor]
    prox: Callable[[Tensor, float], Tensor]
    symbol: str = "‖W‖"
    is_ridge: bool = False


HEAD_NORMS: dict[str, HeadNorm] = {
    "trace": HeadNorm(trace_norm, prox_trace_norm, "‖W‖_*"),
    "frobenius": HeadNorm(squared_frobenius_norm, prox_squared_frobenius, "‖W‖²", is_ridge=True),
}


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
