"""Means, deviations and quantiles of columns, with weights, and which columns are constant."""

from __future__ import annotations

import numpy as np

from askl._typing import Array

# A deviation of at most this share of the mean is rounding: double precision has 16 digits, and
# sums over very many rows lose some of them.
CONSTANT_SHARE = 1e-12
# Levels of quantiles are compared with sums of weights, which round.
_ROUNDING = 1e-12


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


def mean_and_divisor(block: Array, weights: Array | None) -> tuple[Array, Array]:
    """Return the mean of every column, and its deviation, one where the column is constant.

    Examples
    --------
    >>> mean_and_divisor(np.array([[1.0, 7.0], [3.0, 7.0]]), None)
    (array([2., 7.]), array([1., 1.]))
    """
    # In units of the largest entry, whose square cannot overflow. One copy, worked on in place:
    # fresh memory costs more than the arithmetic.
    size = np.maximum(block.max(axis=0), -block.min(axis=0))
    unit = block / np.where(size > 0.0, size, 1.0)
    mean = np.average(unit, axis=0, weights=weights)
    unit -= mean
    deviation = np.sqrt(np.average(np.square(unit, out=unit), axis=0, weights=weights))
    return mean * size, np.where(is_constant(deviation, mean), 1.0, deviation * size)


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
