"""The errors by which candidates are compared on held-out rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from askl._typing import Array

# A function of predictions and targets; lower is better.
Error = Callable[[Array, Array], float]
# Smaller probabilities count as this, so that their logarithm is finite.
LEAST_PROBABILITY = 1e-9


def squared_error(predictions: Array, targets: Array) -> float:
    """Compute the mean squared error, of all outputs alike."""
    return float(np.mean((predictions - targets) ** 2))


def classification_error(probabilities: Array, targets: Array, *, log_loss_share: float) -> float:
    """Compute the share of wrong labels plus a share of the log loss.

    Held-out rows are few, so the share of wrong labels is coarse: of two models that differ by a
    few rows, the log loss shows which one is better.
    """
    wrong = float(np.mean(probabilities.argmax(axis=1) != targets))
    return wrong + log_loss_share * log_loss(probabilities, targets)


def log_loss(probabilities: Array, targets: Array) -> float:
    """Compute the mean of −log p(target)."""
    chosen = probabilities[np.arange(len(targets)), targets]
    return float(-np.mean(np.log(np.maximum(chosen, LEAST_PROBABILITY))))
