"""Ranks of methods over data sets, and which of them differ (Demsar 2006)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, studentized_range

SIGNIFICANCE = 0.05
# Means of the same figures in another order differ by less than this, relatively.
ROUNDING = 1e-10


def tie_groups(values: ArrayLike) -> NDArray[Any]:
    """Number the different values from 0, the smallest; rounding errors make no difference.

    Examples
    --------
    >>> tie_groups([0.3, 0.1 + 0.2, 0.1]).tolist()
    [1, 1, 0]
    """
    array = np.asarray(values, dtype=np.float64)
    order = np.argsort(array)
    finite = np.abs(array[np.isfinite(array)])
    with np.errstate(invalid="ignore"):  # infinity minus infinity: they are alike
        larger = np.diff(array[order]) > ROUNDING * finite.max(initial=0.0)
    groups = np.empty(len(array), dtype=np.intp)
    groups[order] = np.concatenate([[0], np.cumsum(larger)])
    return groups


def rank_values(values: ArrayLike, *, lower: bool) -> NDArray[np.float64]:
    """Rank from 1 for the best; those that are alike share the mean of their ranks.

    Examples
    --------
    >>> rank_values([97.0, 98.5, 97.0], lower=False).tolist()
    [2.5, 1.0, 2.5]
    """
    groups = tie_groups(values)
    ranks: NDArray[np.float64] = rankdata(groups if lower else -groups)
    return ranks


def critical_difference(n_methods: int, n_datasets: int) -> float:
    """Return the least difference of two mean ranks that is significant at 5 % (Nemenyi's test).

    q sqrt(k (k + 1) / (6 N)), q being the quantile of the studentized range over sqrt(2).
    """
    if n_methods < 2 or n_datasets < 1:
        return math.nan
    quantile = studentized_range.ppf(1.0 - SIGNIFICANCE, n_methods, math.inf) / math.sqrt(2.0)
    return float(quantile * math.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def groups_alike(means: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Find the longest runs of sorted mean ranks within a difference: first and last index.

    Examples
    --------
    >>> groups_alike([1.0, 1.5, 3.0, 3.4, 6.0], 2.0)
    [(0, 2), (1, 3)]
    """
    runs: list[tuple[int, int]] = []
    for first, mean in enumerate(means):
        last = max(index for index, other in enumerate(means) if other - mean <= difference)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def mean_and_deviation(scores: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation over splits, the latter 0 for a single one."""
    return float(np.mean(scores)), float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0
