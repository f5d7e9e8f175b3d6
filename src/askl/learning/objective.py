"""The objective of the paper (equation 4), split into a smooth part and a proximal part."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from askl.learning.losses import Loss
from askl.learning.penalties import HeadNorm, squared_feature_norm


class Objective(NamedTuple):
    """(1/n) Σ ℓ(f(x_i), y_i) + λ₁ ‖W‖ + λ₂ (1/n) Σ ‖φ(x_i)‖².

    Attributes
    ----------
    loss : callable
    head_norm : HeadNorm
        ‖W‖_* or ‖W‖_F²; handled by its proximal step.
    head_penalty, feature_penalty : float
        λ₁ and λ₂.
    """

    loss: Loss
    head_norm: HeadNorm
    head_penalty: float = 0.0
    feature_penalty: float = 0.0

    def prox(self, weights: Tensor, learning_rate: float) -> None:
        """Take the proximal step of the head norm, in place, with threshold η λ₁."""
        # NOTE[DIFF]: exact for plain gradient steps; after an adaptive step (Adam, Adadelta)
        # the same threshold is a convention, as in the paper.
        threshold = self.head_penalty * learning_rate
        if threshold > 0.0:
            weights.copy_(self.head_norm.prox(weights, threshold))

    def total(self, loss: float, head_norm: float, feature_norm: float) -> float:
        """Add up the objective from its three parts."""
        return loss + self.head_penalty * head_norm + self.feature_penalty * feature_norm


class SmoothTerms(NamedTuple):
    """The smooth part on one block of samples: sums, and the gradient at the outputs."""

    loss_sum: Tensor
    feature_norm_sum: Tensor
    output_gradients: Tensor


def smooth_terms(
    objective: Objective,
    features: Tensor,
    outputs: Tensor,
    targets: Tensor,
    sample_weights: Tensor | None,
) -> SmoothTerms:
    """Evaluate loss and feature norm, each summed over samples with their weights."""
    values, gradients = objective.loss(outputs, targets)
    norms = squared_feature_norm(features)
    if sample_weights is not None:
        values = values * sample_weights
        norms = norms * sample_weights
        gradients = gradients * sample_weights[:, None]
    return SmoothTerms(values.sum(), norms.sum(), gradients)
