"""Temperature scaling of probabilities (Guo et al., 2017)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from askl._typing import Array
from askl.auto.execution.scoring import LEAST_PROBABILITY


def apply_temperature(probabilities: Array, temperature: float) -> Array:
    """Raise probabilities to the power 1 / temperature, and normalise."""
    logarithms = np.log(np.maximum(probabilities, LEAST_PROBABILITY)) / temperature
    powers = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    scaled: Array = powers / powers.sum(axis=1, keepdims=True)
    return scaled


def choose_temperature(probabilities: Array, targets: Array, *, most: float) -> float:
    """Find the temperature of least held-out log loss, between 1 / ``most`` and ``most``.

    Targets are those of Platt (1999): of n rows, one more would be wrong with probability
    1 / (n + 2). So a few rows that are all right do not make a model nearly certain.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.tile([0.99, 0.01], (10, 1))
    >>> targets = np.array([0] * 8 + [1] * 2)
    >>> choose_temperature(sure, targets, most=4.0) > 2.0
    True
    """
    n_rows, n_classes = probabilities.shape
    doubt = 1.0 / (n_rows + 2)
    smoothed = np.full(probabilities.shape, doubt / max(1, n_classes - 1))
    smoothed[np.arange(n_rows), targets] = 1.0 - doubt

    def loss(power: float) -> float:
        scaled = np.maximum(apply_temperature(probabilities, 2.0**power), LEAST_PROBABILITY)
        return float(-np.mean(np.sum(smoothed * np.log(scaled), axis=1)))

    bound = float(np.log2(most))
    return float(2.0 ** minimize_scalar(loss, bounds=(-bound, bound), method="bounded").x)
