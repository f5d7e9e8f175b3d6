"""Singular values of the head, alone and with singular vectors."""

from __future__ import annotations

import torch
from torch import Tensor


def gram_singular(weights: Tensor) -> tuple[Tensor, Tensor]:
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


def right_singular(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return singular values and all right singular vectors.

    By the triangle of a QR decomposition: a Gram matrix would lose the small singular values.

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)

    Returns
    -------
    values : Tensor of shape (n_outputs,)
    vectors : Tensor of shape (n_outputs, n_outputs)

    Examples
    --------
    >>> import torch
    >>> right_singular(torch.tensor([[3.0], [4.0]]))[0].round(decimals=4)
    tensor([5.])
    """
    triangle = torch.linalg.qr(weights, mode="r").R
    _, values, vectors = torch.linalg.svd(triangle, full_matrices=True)
    padding = weights.shape[1] - len(values)
    return torch.nn.functional.pad(values, (0, padding)), vectors.t()
