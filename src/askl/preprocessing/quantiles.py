"""Quantiles of columns whose rows may have weights."""

from __future__ import annotations

import numpy as np

from askl._typing import Array

# Levels are compared with sums of weights, which round.
_ROUNDING = 1e-12


def weighted_quantiles(column: Array, weights: Array | None, levels: Array) -> Array:
    """Return quantiles of a column, each of them one of its values (the inverted CDF).

    A weight of two has the same effect as the row twice, to the bit.

    Examples
    --------
    >>> column = np.array([1.0, 2.0, 3.0])
    >>> weighted_quantiles(column, np.array([1.0, 1.0, 4.0]), np.array([0.1, 0.5]))
    array([1., 3.])
    """
    order = np.argsort(column, kind="stable")
    if weights is None:
        cumulative = np.arange(1, len(column) + 1, dtype=np.float64) / len(column)
    else:
        cumulative = np.cumsum(weights[order], dtype=np.float64)
        cumulative /= cumulative[-1]
    positions = np.searchsorted(cumulative, levels - _ROUNDING)
    quantiles: Array = column[order[np.minimum(positions, len(column) - 1)]]
    return quantiles
