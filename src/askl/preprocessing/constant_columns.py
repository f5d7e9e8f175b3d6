"""What a constant column is, where its deviation is not zero but of rounding size."""

from __future__ import annotations

import numpy as np

from askl._typing import Array

# A deviation of at most this share of the mean is rounding: double precision has 16 digits, and
# sums over very many rows lose some of them.
CONSTANT_SHARE = 1e-12


def is_constant(deviation: Array, mean: Array) -> Array:
    """Return True for every column that does not vary but by rounding.

    Examples
    --------
    >>> is_constant(np.array([1e-14, 1e-14]), np.array([1.0, 0.0]))
    array([ True, False])
    """
    return np.asarray(deviation <= CONSTANT_SHARE * np.abs(mean))


def divisors(deviation: Array, mean: Array) -> Array:
    """Return deviations to divide by: one where a column is constant.

    Examples
    --------
    >>> divisors(np.array([0.5, 1e-14]), np.array([1.0, 1.0]))
    array([0.5, 1. ])
    """
    return np.where(is_constant(deviation, mean), 1.0, deviation)
