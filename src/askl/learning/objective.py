"""The objective of the paper (equation 4), split into a smooth part and a proximal part."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from askl.learning.loss_types import Loss
from askl.learning.norms.head_norm import HeadNorm
from askl.learning.penalties import squared_feature_norm


class Objective(NamedTuple):
    """(1/n) Σ ℓ(f(x_i), y_i) + λ₁ ‖W‖ + λ₂ (1/n) Σ ‖φ(x_i)‖².

    Attributes
    ----------
    loss : callable
    head_norm : HeadNorm
        ‖W‖_* or ‖W‖_F²; minimised by its proximal step.
    head_penalty, feature_penalty : float
        λ₁ and λ₂.

    Examples
    --------
    >>> from askl.learning import HEAD_NORMS, LOSSES, Loss, Objective
    >>> squared: Loss = LOSSES["squared"].evaluate
    >>> objective = Objective(squared, HEAD_NORMS["trace"], head_penalty=0.1)
    >>> objective.total(loss=1.0, head_norm=5.0, feature_norm=0.8)
    1.5
    """

    loss: Loss
    head_norm: HeadNorm
    head_penalty: float = 0.0
    feature_penalty: float = 0.0

    def total(self, loss: float, head_norm: float, feature_norm: float) -> float:
        """Return the objective, given its three parts.

        Parameters
        ----------
        loss : float
            Mean loss.
        head_norm : float
            ‖W‖ in this objective's norm.
        feature_norm : float
            Mean of ‖φ(x_i)‖².

        Returns
        -------
        float
        """
        return loss + self.head_penalty * head_norm + self.feature_penalty * feature_norm


class SmoothTerms(NamedTuple):
    """The smooth part on some samples: its sums, and the gradients of the outputs."""

    loss_sum: Tensor
    feature_norm_sum: Tensor
    output_gradients: Tensor


AllReduce: TypeAlias = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def smooth_terms(
    objective: Objective,
    features: Tensor,
    outputs: Tensor,
    targets: Tensor,
    sample_weights: Tensor | None,
    all_reduce: AllReduce | None = None,
) -> SmoothTerms:
    """Compute the sums over samples, with their weights, of loss and squared feature norm.

    If the features are only some of those of the model, ``all_reduce(outputs, feature_norm_sum)``
    adds the outputs and the norm of the others.
    """
    if sample_weights is None:
        # A dot product is faster than the squared norms of all rows and their sum.
        flat = features.view(-1)
        feature_norm_sum = torch.dot(flat, flat)
    else:
        feature_norm_sum = torch.dot(squared_feature_norm(features), sample_weights)
    if all_reduce is not None:
        outputs, feature_norm_sum = all_reduce(outputs, feature_norm_sum)
    values, gradients = objective.loss(outputs, targets)
    if sample_weights is None:
        return SmoothTerms(values.sum(), feature_norm_sum, gradients)
    gradients = gradients * sample_weights[:, None]
    return SmoothTerms(torch.dot(values, sample_weights), feature_norm_sum, gradients)
