"""Per-sample losses with their gradient ∂ℓ/∂f, and the table that names them.

A loss is a function ``(outputs, targets) -> (values, gradients)`` of shapes (n_samples,) and
(n_samples, n_outputs). Targets are class indices for classification, and numbers of the shape of
the outputs for regression. A new loss is one function and one row of :data:`LOSSES`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from askl.learning.loss_types import LossConstants, NamedLoss

# Share of the target probabilities of the smoothed log loss that is uniform over the classes.
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


def smoothed_log_loss(
    outputs: Tensor, targets: Tensor, *, smoothing: float = SMOOTHING
) -> tuple[Tensor, Tensor]:
    """Compute the log loss against the probabilities (1 - ε) e_y + ε/K.

    It equals the log loss plus ε times (f_y minus the mean of f). Unlike the log loss it is
    smallest at finite outputs.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices.
    smoothing : float, default=0.02
        ε, between 0 and 1.

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
    gradients -= smoothing / outputs.shape[1]
    gradients.scatter_add_(1, truth, gradients.new_full(truth.shape, smoothing))
    return values + smoothing * lead, gradients


def _log_constants(output_norm: float, n_outputs: int, target_range: float) -> LossConstants:
    # The gradient softmax(f) - e_y has norm at most sqrt(2); at f = 0 the loss is log K. The
    # smoothed gradient, softmax(f) - q for another distribution q, is not longer.
    return LossConstants(math.sqrt(2.0), math.log(n_outputs) + math.sqrt(2.0) * output_norm)


def _hinge_constants(output_norm: float, n_outputs: int, target_range: float) -> LossConstants:
    # The subgradient is +1 at the runner-up and -1 at the class; at f = 0 the loss is 1.
    return LossConstants(math.sqrt(2.0), 1.0 + math.sqrt(2.0) * output_norm)


def _squared_constants(output_norm: float, n_outputs: int, target_range: float) -> LossConstants:
    # NOTE[DIFF]: the paper calls the squared loss Lipschitz, which it is on a bounded set only.
    # Clipping predictions to the range of the targets gives such a set, and never adds loss.
    return LossConstants(2.0 * target_range, target_range**2)


def softmax_curvature(outputs: Tensor, targets: Tensor) -> Tensor:
    """Compute the curvature diag(p) - p pᵀ of the log loss, p = softmax(f), for every sample.

    The smoothed log loss has the same: the two differ by a linear function of the outputs.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices, which change nothing.

    Returns
    -------
    Tensor of shape (n_samples, n_outputs, n_outputs)

    Examples
    --------
    >>> import torch
    >>> softmax_curvature(torch.zeros(1, 2), torch.tensor([0]))
    tensor([[[ 0.2500, -0.2500],
             [-0.2500,  0.2500]]])
    """
    probabilities = torch.softmax(outputs, dim=1)
    products = probabilities[:, :, None] * probabilities[:, None, :]
    return torch.diag_embed(probabilities) - products


# The hinge has corners, where it has no second derivative. The soft maximum of this temperature
# exceeds it by at most this number times log K.
HINGE_TEMPERATURE = 0.05


def _with_margins(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return (f_k + 1) for all classes but the true one, over the temperature."""
    margins = torch.ones_like(outputs).scatter_(1, targets[:, None], 0.0)
    return (outputs + margins) / HINGE_TEMPERATURE


def soft_hinge_loss(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the multiclass hinge loss with a soft maximum in place of the maximum.

    max_k (f_k + [k ≠ y]) - f_y with τ log Σ exp(· / τ) for the maximum. It is above the hinge
    by at most τ log K; τ is :data:`HINGE_TEMPERATURE`.

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
    >>> values, gradients = soft_hinge_loss(torch.tensor([[0.5, 0.0, -1.0]]), torch.tensor([0]))
    >>> values.round(decimals=3), gradients.round(decimals=3)
    (tensor([0.5000]), tensor([[-1.,  1.,  0.]]))
    """
    values, gradients = log_loss(_with_margins(outputs, targets), targets)
    return HINGE_TEMPERATURE * values, gradients


def soft_hinge_curvature(outputs: Tensor, targets: Tensor) -> Tensor:
    """Compute the curvature of the soft hinge loss for every sample.

    Parameters
    ----------
    outputs : Tensor of shape (n_samples, n_outputs)
    targets : Tensor of shape (n_samples,)
        Class indices.

    Returns
    -------
    Tensor of shape (n_samples, n_outputs, n_outputs)

    Examples
    --------
    >>> import torch
    >>> soft_hinge_curvature(torch.tensor([[1.0, 0.0]]), torch.tensor([0]))
    tensor([[[ 5., -5.],
             [-5.,  5.]]])
    """
    curvature = softmax_curvature(_with_margins(outputs, targets), targets)
    return curvature / HINGE_TEMPERATURE


LOSSES: dict[str, NamedLoss] = {
    "log": NamedLoss(
        log_loss,
        "classification",
        has_probabilities=True,
        constants=_log_constants,
        curvature=softmax_curvature,
        is_shift_invariant=True,
    ),
    "smoothed_log": NamedLoss(
        smoothed_log_loss,
        "classification",
        has_probabilities=True,
        constants=_log_constants,
        curvature=softmax_curvature,
        score=log_loss,
        is_shift_invariant=True,
    ),
    "hinge": NamedLoss(
        hinge_loss,
        "classification",
        constants=_hinge_constants,
        curvature=soft_hinge_curvature,
        smooth=soft_hinge_loss,
        is_shift_invariant=True,
    ),
    "squared": NamedLoss(squared_loss, "regression", is_squared=True, constants=_squared_constants),
}
