"""The choice of columns and pairs of columns in which near rows have similar residuals."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import KFold

from askl._typing import Array
from askl.discovery.appending_encoder import Group
from askl.discovery.neighbour_means import cross_fitted_means

# A column with fewer values than this has no neighbourhoods.
LEAST_VALUES = 10
# Pairs are made from this many columns at most.
MOST_COLUMNS = 10


class Explained(NamedTuple):
    """The share of the residuals' variance that neighbours explain, and what then remains."""

    share: float
    residuals: Array


class Chosen(NamedTuple):
    """A group of columns, and the share of the residuals' variance that its neighbours explain."""

    group: Group
    share: float


def choose_groups(
    points: Array,
    residuals: Array,
    explain: Callable[[Group, Array], Explained],
    *,
    max_groups: int,
    least_share: float,
) -> list[Chosen]:
    """Choose groups one after the other, single columns first: always the one that explains most.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
    residuals : ndarray of shape (n_samples, n_outputs)
    explain : callable
        Computes how much of some residuals a group explains.
    max_groups : int
    least_share : float
        The share that a column must explain, or a pair beyond what either column explains alone.

    Returns
    -------
    list of Chosen
    """
    columns = [j for j in range(points.shape[1]) if len(np.unique(points[:, j])) >= LEAST_VALUES]
    alone: dict[int, float] = {}
    chosen: list[Chosen] = []

    def choose(candidates: list[Group]) -> None:
        nonlocal residuals
        while candidates and len(chosen) < max_groups:
            explained = {group: explain(group, residuals) for group in candidates}
            gains = {
                group: found.share - max(alone.get(column, 0.0) for column in group)
                for group, found in explained.items()
            }
            # A group that explains too little will not explain more of smaller residuals.
            candidates = [group for group in candidates if gains[group] >= least_share]
            if candidates:
                best = max(candidates, key=lambda group: gains[group])
                candidates.remove(best)
                chosen.append(Chosen(best, gains[best]))
                residuals = explained[best].residuals

    choose([(column,) for column in columns])
    alone = {column: explain((column,), residuals).share for column in columns}
    best_columns = sorted(columns, key=lambda column: -alone[column])[:MOST_COLUMNS]
    choose(list(combinations(sorted(best_columns), 2)))
    return chosen


def explain_by_neighbours(
    points: Array, residuals: Array, folds: KFold, n_neighbours: int
) -> Explained:
    """Explain residuals by the mean residuals of the nearest points, cross-fitted.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
    residuals : ndarray of shape (n_samples, n_outputs)
    folds : KFold
    n_neighbours : int

    Returns
    -------
    Explained
    """
    means = cross_fitted_means(points, residuals, folds, n_neighbours)
    product, square = float((means * residuals).sum()), float((means**2).sum())
    slope = max(product, 0.0) / square if square > 0.0 else 0.0
    variance = float((residuals**2).sum())
    share = slope * product / variance if variance > 0.0 else 0.0
    return Explained(share, residuals - slope * means)
