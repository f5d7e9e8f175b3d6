"""What a penalty of the head is: the row that names it, and what solving the head needs of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor


class UnsquaredNorm(NamedTuple):
    """What solving the head needs of a norm N: without a square, and for its dual norm.

    A solver changes the basis of features and outputs, so that N must not change if W is rotated
    on either side.

    Attributes
    ----------
    rounded : callable
        ``rounded(weights, radius) -> (value, metric)``: N with its corners rounded off. The
        gradient is ``weights @ metric``.
    dual : callable
        ``dual(gradient) -> float``: the smallest multiple of N at which W = 0 is optimal.
    penalty : callable
        ``penalty(threshold, weights) -> float``: λ₁ of the objective of training, if the weights
        are optimal with ``threshold`` times N.
    has_corners : bool, default=False
        Whether N has corners other than W = 0, where W has a lower rank.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import HEAD_NORMS
    >>> trace, frobenius = (HEAD_NORMS[name].unsquared for name in ("trace", "frobenius"))
    >>> head = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> trace.dual(head), frobenius.dual(head), float(frobenius.rounded(head, 0.0)[0])
    (4.0, 5.0, 5.0)
    >>> trace.penalty(0.5, head), frobenius.penalty(0.5, head)
    (0.5, 0.05)
    """

    rounded: Callable[[Tensor, float], tuple[Tensor, Tensor]]
    dual: Callable[[Tensor], float]
    penalty: Callable[[float, Tensor], float]
    has_corners: bool = False


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
    unsquared : UnsquaredNorm, optional
        Without it, a model with this norm is trained by gradient and proximal steps, but the
        head of a classifier cannot be solved.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import HEAD_NORMS
    >>> norm = HEAD_NORMS["frobenius"]
    >>> head = torch.tensor([[3.0], [4.0]])
    >>> float(norm.value(head)), float(norm.value(norm.prox(head, 0.5)))
    (25.0, 6.25)
    """

    value: Callable[[Tensor], Tensor]
    prox: Callable[[Tensor, float], Tensor]
    symbol: str = "‖W‖"
    is_ridge: bool = False
    unsquared: UnsquaredNorm | None = None
