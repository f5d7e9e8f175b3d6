"""Distributions of the values of columns: differences, variety, and groups of similar ones."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from askl._typing import Array

# In a varied column, at least this share of the values differ from the most frequent one.
LEAST_SHARE = 0.05
# Distribution functions of similarly distributed columns differ by this much at most, and by this
# many deviations of a difference by chance.
TOLERANCE = 0.05
CHANCE = 3.0
# With fewer rows, columns look similar by chance; with more columns, pairs are not compared.
LEAST_ROWS = 100
MOST_COLUMNS = 200
# Distribution functions are compared at about this many points.
N_POINTS = 200


def ecdf_distance(X: Array) -> Array:
    """Return the largest difference of the empirical distribution functions of any two columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Examples
    --------
    >>> ecdf_distance(np.array([[1.0, 2.0], [2.0, 3.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    ordered, n_features = np.sort(X, axis=0), X.shape[1]
    distance = np.zeros((n_features, n_features))
    for j in range(n_features):
        points = np.unique(ordered[:: max(1, len(X) // N_POINTS), j])
        levels = np.stack([np.searchsorted(column, points, "right") for column in ordered.T])
        distance[:, j] = np.abs(levels - levels[j]).max(axis=1) / len(X)
    return np.maximum(distance, distance.T)


def is_varied(X: Array) -> Array:
    """Return True for every column that is not nearly always the same value.

    Examples
    --------
    >>> is_varied(np.array([[1.0, 2.0], [1.0, 3.0]]))
    array([False,  True])
    """
    ordered = np.sort(X, axis=0)
    # With very few rows, all but one may have the same value.
    gap = min(int(np.ceil((1.0 - LEAST_SHARE) * len(X))), len(X) - 1)
    return np.asarray((ordered[gap:] != ordered[: len(X) - gap]).all(axis=0))


def has_two_values(X: Array) -> Array:
    """Return True for every column with at most two different values.

    Examples
    --------
    >>> has_two_values(np.array([[1.0, 2.0], [1.0, 3.0], [0.0, 4.0]]))
    array([ True, False])
    """
    return np.asarray(((X.min(axis=0) == X) | (X.max(axis=0) == X)).all(axis=0))


def largest_difference(n_rows: int) -> float:
    """Return how much distribution functions of similarly distributed columns may differ."""
    return float(TOLERANCE + CHANCE * np.sqrt(0.5 / n_rows))


def group_columns(X: Array, least_columns: int) -> list[tuple[int, ...]]:
    """Group similarly distributed columns; those with at most two values are left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    least_columns : int
        Smaller groups are left out.

    Returns
    -------
    list of tuple of int

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> X = np.hstack([random.normal(size=(500, 3)), random.uniform(size=(500, 3))])
    >>> group_columns(X, 2)
    [(0, 1, 2), (3, 4, 5)]
    """
    if len(X) < LEAST_ROWS or not least_columns <= X.shape[1] <= MOST_COLUMNS:
        return []
    columns = np.flatnonzero(is_varied(X) & ~has_two_values(X))
    if len(columns) < least_columns:
        return []
    distances = squareform(ecdf_distance(X[:, columns]), checks=False)
    labels = fcluster(linkage(distances, "complete"), largest_difference(len(X)), "distance")
    groups = [tuple(columns[labels == label].tolist()) for label in np.unique(labels)]
    return sorted(group for group in groups if len(group) >= least_columns)
