"""Per-sample losses with their gradient ∂ℓ/∂f, and the table that names them.

A loss is a function ``(outputs, targets) -> (values, gradients)`` of shapes (n_samples,) and
(n_samples, n_outputs). Targets are class indices for classification, numbers of the outputs'
shape for regression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

Loss: TypeAlias = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]

# The share of the smoothed log loss that is the mean over all classes.
SMOOTHING = 0.02


def hinge_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the multiclass hinge loss |1 - (f_y - max_{k≠y} f_k)|₊ of Crammer and Singer.

    Its subgradient is 0 where the margin is at least 1, else +1 at the runner-up and -1 at y.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices.

    Returns
    -------
    values : Tensor of shape (n_samples,)
    gradients : Tensor of shape (n_samples, n_outputs)

    Examples
    --------
    >>> import torch
    >>> values, gradients = hinge_loss(torch.tensor([[0.5, 0.0, -1.0]]), torch.tensor([0]))
    >>> values, gradients
    (tensor([0.5000]), tensor([[-1.,  1.,  0.]]))
    """
    truth = targets[:, None]
    true_outputs = outputs.gather(1, truth)
    rivals, runner_up = outputs.scatter(1, truth, -torch.inf).max(dim=1, keepdim=True)
    values = (1.0 - (true_outputs - rivals)).clamp_(min=0.0)
    active = (values > 0.0).to(outputs.dtype)
    gradients = torch.zeros_like(outputs).scatter_(1, runner_up, active)
    return values.squeeze(1), gradients.scatter_(1, truth, -active)


def squared_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the squared error ‖f - y‖² over all outputs, with gradient 2(f - y).

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples, n_outputs)

    Returns
    -------
    values : Tensor of shape (n_samples,)
    gradients : Tensor of shape (n_samples, n_outputs)

    Examples
    --------
    >>> import torch
    >>> squared_loss(torch.tensor([[3.0]]), torch.tensor([[1.0]]))
    (tensor([4.]), tensor([[4.]]))
    """
    residuals = outputs - targets
    return residuals.square().sum(dim=1), residuals.mul_(2.0)


def log_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the multinomial log loss -log softmax(f)_y, with gradient softmax(f) - e_y.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices.

    Returns
    -------
    values : Tensor of shape (n_samples,)
    gradients : Tensor of shape (n_samples, n_outputs)

    Examples
    --------
    >>> import torch
    >>> values, gradients = log_loss(torch.zeros(1, 2), torch.tensor([1]))
    >>> values, gradients
    (tensor([0.6931]), tensor([[ 0.5000, -0.5000]]))
    """
    truth = targets[:, None]
    log_probabilities = torch.log_softmax(outputs, dim=1)
    values = -log_probabilities.gather(1, truth).squeeze(1)
    gradients = log_probabilities.exp_()
    return values, gradients.scatter_add_(1, truth, gradients.new_full(truth.shape, -1.0))


def smoothed_log_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the log loss against (1 - ε) e_y + ε/K, which no output need be infinite for.

    It is the log loss and ε times f_y minus the mean of f. ε is :data:`SMOOTHING`.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices.

    Returns
    -------
    values : Tensor of shape (n_samples,)
    gradients : Tensor of shape (n_samples, n_outputs)

    Examples
    --------
    >>> import torch
    >>> values, gradients = smoothed_log_loss(torch.zeros(1, 2), torch.tensor([1]))
    >>> values, gradients
    (tensor([0.6931]), tensor([[ 0.4900, -0.4900]]))
    """
    truth = targets[:, None]
    values, gradients = log_loss(outputs, targets)
    lead = outputs.gather(1, truth).squeeze(1) - outputs.mean(dim=1)
    gradients -= SMOOTHING / outputs.shape[1]
    gradients.scatter_add_(1, truth, gradients.new_full(truth.shape, SMOOTHING))
    return values + SMOOTHING * lead, gradients


class NamedLoss(NamedTuple):
    """One row of :data:`LOSSES`: a loss, the task it is for, and if softmax(f) is a probability."""

    evaluate: Loss
    task: Literal["classification", "regression"]
    has_probabilities: bool = False


LOSSES: dict[str, NamedLoss] = {
    "log": NamedLoss(log_loss, "classification", has_probabilities=True),
    "smoothed_log": NamedLoss(smoothed_log_loss, "classification", has_probabilities=True),
    "hinge": NamedLoss(hinge_loss, "classification"),
    "squared": NamedLoss(squared_loss, "regression"),
}


def from_values(values_of: Callable[[Tensor, Tensor], Tensor]) -> Loss:
    """Make a loss of a function that returns per-sample values only; autograd does the rest.

    Examples
    --------
    >>> import torch
    >>> absolute = from_values(lambda outputs, targets: (outputs - targets).abs().sum(dim=1))
    >>> absolute(torch.tensor([[3.0]]), torch.tensor([[1.0]]))
    (tensor([2.]), tensor([[1.]]))
    """

    def evaluate(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        # Training is in inference mode, of whose tensors autograd takes copies only.
        with torch.inference_mode(False), torch.enable_grad():
            leaf = outputs.detach().clone().requires_grad_()
            values = values_of(leaf, targets.clone())
            (gradients,) = torch.autograd.grad(values.sum(), leaf)
        return values.detach(), gradients

    return evaluate
