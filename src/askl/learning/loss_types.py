"""What a loss is: the types of its functions, and the row that names it in the table of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

Loss: TypeAlias = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
Curvature: TypeAlias = Callable[[Tensor, Tensor], Tensor]


class LossConstants(NamedTuple):
    """The constants of a loss that risk bounds need, for all functions of a ball.

    Attributes
    ----------
    lipschitz : float
        L, with respect to the outputs in the 2-norm.
    largest : float
        M: the loss is between 0 and M.

    Examples
    --------
    >>> from askl.learning import LOSSES, LossConstants
    >>> LOSSES["squared"].constants(9.0, 1, 3.0) == LossConstants(lipschitz=6.0, largest=9.0)
    True
    """

    lipschitz: float
    largest: float


class NamedLoss(NamedTuple):
    """One row of :data:`LOSSES`.

    Attributes
    ----------
    evaluate : callable
        The loss: ``evaluate(outputs, targets) -> (values, gradients)``.
    task : {"classification", "regression"}
    has_probabilities : bool, default=False
        Whether softmax(f) estimates the probabilities of the classes.
    is_squared : bool, default=False
        Whether ridge regression minimises it, so that the head can be solved exactly.
    constants : callable, optional
        ``constants(output_norm, n_outputs, target_range) -> LossConstants``, for the largest
        ‖f(x)‖₂ of the ball and the length of the diagonal of the targets' range. Without it there
        are no risk bounds for this loss; everything else works.
    curvature : callable, optional
        ``curvature(outputs, targets) -> Tensor`` of shape (n_samples, n_outputs, n_outputs), the
        second derivatives. Without it the head of a classifier cannot be solved.
    smooth : callable, optional
        A smooth loss close to this one, to solve the head with if this one is not smooth.
    score : callable, optional
        The loss that judges a solved head on held-out rows. By default ``evaluate``.
    is_shift_invariant : bool, default=False
        Whether adding one number to all outputs of a sample does not change the loss.

    Examples
    --------
    >>> from askl.learning import LOSSES
    >>> LOSSES["squared"].constants(9.0, 1, 3.0)
    LossConstants(lipschitz=6.0, largest=9.0)
    """

    evaluate: Loss
    task: Literal["classification", "regression"]
    has_probabilities: bool = False
    is_squared: bool = False
    constants: Callable[[float, int, float], LossConstants] | None = None
    curvature: Curvature | None = None
    smooth: Loss | None = None
    score: Loss | None = None
    is_shift_invariant: bool = False


def from_values(values_of: Callable[[Tensor, Tensor], Tensor]) -> Loss:
    """Make a loss from a function that returns only the values; autograd adds the gradients.

    Parameters
    ----------
    values_of : callable
        ``values_of(outputs, targets) -> Tensor`` of shape (n_samples,), in torch operations.

    Returns
    -------
    callable
        ``(outputs, targets) -> (values, gradients)``.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import from_values
    >>> absolute = from_values(lambda outputs, targets: (outputs - targets).abs().sum(dim=1))
    >>> absolute(torch.tensor([[3.0]]), torch.tensor([[1.0]]))
    (tensor([2.]), tensor([[1.]]))
    """

    def evaluate(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        # Training runs in inference mode, and autograd needs copies of the tensors made there.
        with torch.inference_mode(False), torch.enable_grad():
            leaf = outputs.detach().clone().requires_grad_()
            values = values_of(leaf, targets.clone())
            (gradients,) = torch.autograd.grad(values.sum(), leaf)
        return values.detach(), gradients

    return evaluate
