"""Means of targets over the nearest points, cross-fitted or from known points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from sklearn.model_selection import KFold

from askl._typing import Array


class KnownPoints(NamedTuple):
    """Distinct points, the mean target of the rows at each, and the number of these rows.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_columns)
    targets : ndarray of shape (n_points, n_outputs)
    counts : ndarray of int of shape (n_points,)
    """

    points: Array
    targets: Array
    counts: Array


def merge_rows(points: Array, targets: Array) -> KnownPoints:
    """Merge the rows at each point, so that they count as one neighbour.

    Examples
    --------
    >>> merge_rows(np.array([[2.0], [1.0], [2.0]]), np.array([[1.0], [5.0], [3.0]]))
    KnownPoints(points=array([[1.],
           [2.]]), targets=array([[5.],
           [2.]]), counts=array([1, 2]))
    """
    order = np.lexsort(points.T)
    is_new = np.any(np.diff(points[order], axis=0) != 0.0, axis=1)
    first = np.concatenate([[0], np.flatnonzero(is_new) + 1])
    counts = np.diff(first, append=len(points))
    means = np.add.reduceat(targets[order], first, axis=0) / counts[:, None]
    return KnownPoints(points[order[first]], means, counts)


def neighbour_means(points: Array, known: KnownPoints, n_neighbours: int) -> Array:
    """Average the targets of the nearest points, with weights that fall to zero at the next one.

    So the mean is continuous in the point, and does not depend on which of two equally far points
    is taken. It is rounded to single precision: means of equal targets are equal then, which
    matters where ranks of them are taken.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
    known : KnownPoints
    n_neighbours : int

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)

    Examples
    --------
    >>> known = merge_rows(np.array([[0.0], [1.0], [4.0]]), np.array([[6.0], [0.0], [9.0]]))
    >>> neighbour_means(np.array([[0.0]]), known, n_neighbours=2)  # weights 1 and 3/4
    array([[3.42857146]])
    """
    n_nearest = min(n_neighbours + 1, len(known.points))
    distances, nearest = cKDTree(known.points).query(points, k=np.arange(1, n_nearest + 1))
    farthest = distances[:, -1:]
    counts = known.counts[nearest]
    weights = counts * np.maximum(1.0 - distances / np.where(farthest > 0, farthest, 1), 0)
    # If all points are equally far, all count.
    weights += counts * (weights.sum(axis=1, keepdims=True) == 0.0)
    weights = weights / weights.sum(axis=1, keepdims=True)
    mean: Array = np.einsum("nk,nkm->nm", weights, known.targets[nearest])
    return mean.astype(np.float32).astype(np.float64)


def cross_fitted_means(points: Array, targets: Array, folds: KFold, n_neighbours: int) -> Array:
    """Average the targets of the nearest points in the other folds, for every row.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
    targets : ndarray of shape (n_samples, n_outputs)
    folds : KFold
    n_neighbours : int

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)
    """
    means = np.empty_like(targets)
    for others, rows in folds.split(points):
        known = merge_rows(points[others], targets[others])
        means[rows] = neighbour_means(points[rows], known, n_neighbours)
    return means
