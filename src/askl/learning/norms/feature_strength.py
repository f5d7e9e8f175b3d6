"""λ₂ without units: how much the norm of the features weighs, relative to the loss."""

from __future__ import annotations

import torch
from torch import Tensor

from askl.learning.loss_types import Loss
from askl.learning.penalties import squared_feature_norm


def feature_penalty_of_strength(
    strength: float,
    features: Tensor,
    targets: Tensor,
    loss: Loss,
    n_outputs: int,
    sample_weights: Tensor | None = None,
) -> float:
    """Compute λ₂ = s · ℓ(0) / mean ‖φ₀(x)‖², the feature penalty of the strength s.

    ℓ(0) is the mean loss of the null model, whose outputs are zero, and φ₀ are the features before
    learning. So the objective of the null model is (1 + s) ℓ(0): the strength is the weight of the
    penalty, relative to the loss. It means the same for every n, K, D, loss and unit of the
    targets. At the strength 1, a perfect fit that leaves ‖φ‖² as it was is no better than
    features that are zero.

    Parameters
    ----------
    strength : float
        s, at least 0.
    features : Tensor of shape (n_samples, width)
        φ₀ on some of the training rows.
    targets : Tensor of shape (n_samples,) or (n_samples, n_outputs)
        Class indices, or numbers as they are in training.
    loss : callable
    n_outputs : int
    sample_weights : Tensor of shape (n_samples,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> import math, torch
    >>> from askl.learning import LOSSES, feature_penalty_of_strength
    >>> features, classes = torch.full((4, 8), 0.25), torch.tensor([0, 1, 0, 1])
    >>> penalty = feature_penalty_of_strength(0.1, features, classes, LOSSES["log"].evaluate, 2)
    >>> math.isclose(penalty, 0.1 * math.log(2) / 0.5, rel_tol=1e-6)
    True
    """
    values, _ = loss(features.new_zeros(len(features), n_outputs), targets)
    parts = torch.stack([values, squared_feature_norm(features)]).double()
    weights = torch.ones(len(features)) if sample_weights is None else sample_weights
    null_loss, feature_norm = (parts @ weights.double()).tolist()
    if feature_norm == 0.0:
        raise ValueError(
            "The 'features' must not all be zero, since the feature penalty is relative to their "
            "norm. Give the features of some training rows, before learning."
        )
    return strength * float(null_loss) / float(feature_norm)
