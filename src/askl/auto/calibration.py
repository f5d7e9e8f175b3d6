"""Temperature scaling of probabilities."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from askl._typing import Array

# What a probability is at least before its logarithm is taken.
LEAST_PROBABILITY = 1e-9


def apply_temperature(probabilities: Array, temperature: float) -> Array:
    """Raise probabilities to the power 1 / temperature, and normalise."""
    logarithms = np.log(np.maximum(probabilities, LEAST_PROBABILITY)) / temperature
    powers = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    sharpened: Array = powers / powers.sum(axis=1, keepdims=True)
    return sharpened


def choose_temperature(probabilities: Array, targets: Array) -> float:
    """Find the temperature of least held-out log loss, between 1/4 and 4.

    Targets are those of Platt (1999): of n rows, one more would have been wrong with probability
    1 / (n + 2). So a few rows that are all right do not make a model all but certain.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.tile([0.99, 0.01], (10, 1))
    >>> targets = np.array([0] * 8 + [1] * 2)
    >>> choose_temperature(sure, targets) > 2.0
    True
    """
    n_rows, n_classes = probabilities.shape
    doubt = 1.0 / (n_rows + 2)
    wanted = np.full(probabilities.shape, doubt / max(1, n_classes - 1))
    wanted[np.arange(n_rows), targets] = 1.0 - doubt

    def loss(power: float) -> float:
        sharpened = np.maximum(apply_temperature(probabilities, 2.0**power), LEAST_PROBABILITY)
        return float(-np.mean(np.sum(wanted * np.log(sharpened), axis=1)))

    return float(2.0 ** minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded").x)
