"""Two-dimensional slices through input space: two inputs vary, the others stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.insight.members import relevance_of
from askl.insight.plots.display import input_names
from askl.insight.rows import dense


class Slice(NamedTuple):
    """A grid over two inputs.

    Attributes
    ----------
    features : tuple of int
        The inputs that vary.
    names : tuple of str
    center : ndarray of shape (n_features,)
        The point that the slice goes through.
    horizontal, vertical : ndarray of shape (n_points,)
        The values of the two inputs.
    rows : ndarray of shape (n_points², n_features)
        All grid points as rows, the horizontal one varying fastest.
    """

    features: tuple[int, int]
    names: tuple[str, str]
    center: Array
    horizontal: Array
    vertical: Array
    rows: Array

    def on_grid(self, values: Array) -> Array:
        """Arrange one value for each row as (vertical, horizontal)."""
        return values.reshape(len(self.vertical), len(self.horizontal))


def cut_slice(
    estimator: Any,
    X: Any,
    *,
    features: tuple[int, int] | None = None,
    center: Any = None,
    names: Sequence[str] | None = None,
    n_points: int = 60,
) -> Slice:
    """Make the grid through a point along two inputs, over the range of most rows.

    Parameters
    ----------
    estimator : fitted classifier or regressor
    X : array-like or sparse matrix of shape (n_samples, n_features)
    features : tuple of int, optional
        The inputs that vary; the two most relevant ones by default.
    center : array-like of shape (n_features,), optional
        The point; the median row by default.
    names : sequence of str, optional
        Of the inputs; those that the estimator was fitted with by default.
    n_points : int, default=60
        Points along each of the two inputs.
    """
    values = dense(X)
    if values.shape[1] < 2:
        raise ValueError("A slice needs at least 2 inputs, but X has 1.")
    if features is None:
        most, second = np.argsort(relevance_of(estimator))[::-1][:2]
        features = (int(most), int(second))
    middle = np.nanmedian(values, axis=0) if center is None else np.asarray(center, dtype=float)
    horizontal, vertical = (_covered(values[:, feature], n_points) for feature in features)
    rows = np.tile(middle, (n_points**2, 1))
    rows[:, features[0]] = np.tile(horizontal, n_points)
    rows[:, features[1]] = np.repeat(vertical, n_points)
    all_names = input_names(estimator, names)
    chosen = (all_names[features[0]], all_names[features[1]])
    return Slice(features, chosen, middle, horizontal, vertical, rows)


def _covered(column: Array, n_points: int) -> Array:
    low, high = np.nanquantile(column, [0.01, 0.99])
    margin = 0.05 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, n_points)
