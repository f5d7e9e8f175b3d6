"""Targets on a logarithmic scale, and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askl._typing import Array
from askl.preprocessing.column_statistics import weighted_quantiles

TARGET_SCALES = ("standard", "log")
# The scale is linear near the lowest targets, and logarithmic from half the way to the median on.
_LEVELS = np.array([0.01, 0.5])
LINEAR_SHARE = 0.5
# The correction of predictions is at most this factor.
MOST_CORRECTION = 2.0


class LogScale(NamedTuple):
    """The inverse hyperbolic sine: a logarithm far above an origin, linear around it.

    Each field has one number for each output.

    Attributes
    ----------
    origin, unit : ndarray
        Scaled targets are asinh((y - origin) / unit).
    lowest, highest : ndarray
        The range of the scaled training targets. Predictions are kept within it: errors of an
        exponential outside the range of the training data could be very large.
    factor : ndarray
        Multiplies the distance of predictions from the origin, because the mean of logarithms is
        not the logarithm of the mean.
    """

    origin: Array
    unit: Array
    lowest: Array
    highest: Array
    factor: Array

    def encode(self, y: Array) -> Array:
        """Scale targets of shape (n_samples, n_outputs)."""
        return np.asarray(np.arcsinh((y - self.origin) / self.unit))

    def decode(self, logs: Array) -> Array:
        """Return scaled numbers in the unit of the targets."""
        within = np.clip(logs, self.lowest, self.highest)
        return np.asarray(self.origin + self.factor * self.unit * np.sinh(within))

    def slope(self, logs: Array) -> Array:
        """Return the derivative of :meth:`decode`, for deviations in the unit of the targets."""
        within = np.clip(logs, self.lowest, self.highest)
        return np.asarray(self.factor * self.unit * np.cosh(within))

    def correct(self, logs: Array, y: Array, sample_weight: Array | None = None) -> LogScale:
        """Return the scale with the factor whose predictions have the least squared error."""
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        stretched = self._replace(factor=np.ones_like(self.factor)).decode(logs) - self.origin
        squares = weights @ stretched**2
        products = weights @ (stretched * (y - self.origin))
        factor = np.divide(products, squares, out=np.ones_like(squares), where=squares > 0.0)
        return self._replace(factor=np.clip(factor, 1.0 / MOST_CORRECTION, MOST_CORRECTION))


def fit_log_scale(y: Array, sample_weight: Array | None = None) -> LogScale:
    """Fit a logarithmic scale to targets of shape (n_samples, n_outputs).

    Examples
    --------
    >>> import numpy as np
    >>> prices = np.array([[1.0], [10.0], [100.0], [1000.0]])
    >>> scale = fit_log_scale(prices)
    >>> scale.encode(prices).round(1).ravel().tolist()
    [0.0, 1.4, 3.8, 6.1]
    >>> bool(np.allclose(scale.decode(scale.encode(prices)), prices))
    True
    """
    low, middle = np.stack(
        [weighted_quantiles(column, sample_weight, _LEVELS) for column in y.T], axis=1
    )
    unit = LINEAR_SHARE * (middle - low)
    # If half of the targets equal the lowest, the range serves; if all do, one.
    unit = np.where(unit > 0.0, unit, y.max(axis=0) - y.min(axis=0))
    unit = np.where(unit > 0.0, unit, 1.0)
    unlimited = np.full(y.shape[1], np.inf)
    scale = LogScale(low, unit, -unlimited, unlimited, factor=np.ones(y.shape[1]))
    logs = scale.encode(y)
    return scale._replace(lowest=logs.min(axis=0), highest=logs.max(axis=0))
