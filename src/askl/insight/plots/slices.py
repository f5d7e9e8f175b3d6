"""Two-dimensional slices through input space: two inputs vary, the others stay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array
from askl.insight.plots.display import input_names


class Slice(NamedTuple):
    """A grid over two inputs.

    Attributes
    ----------
    features : tuple of int
        The inputs that vary.
    names : tuple of str
    horizontal, vertical : ndarray of shape (n_points,)
        Their values.
    rows : ndarray of shape (n_points², n_features)
        All grid points as rows, the horizontal one varying fastest.
    """

    features: tuple[int, int]
    names: tuple[str, str]
    horizontal: Array
    vertical: Array
    rows: Array

    def on_grid(self, values: Array) -> Array:
        """Arrange one value for each row as (vertical, horizontal)."""
        return values.reshape(len(self.vertical), len(self.horizontal))


def dense(X: Any) -> Array:
    """Return some rows as a dense array of numbers."""
    return np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def cut(
    estimator: Any,
    X: Any,
    *,
    features: tuple[int, int] | None = None,
    center: Array | None = None,
    n_points: int = 60,
) -> Slice:
    """Cut through a point along two inputs, over the range that most rows cover.

    Parameters
    ----------
    estimator : fitted classifier or regressor
    X : array-like or sparse matrix of shape (n_samples, n_features)
    features : tuple of int, optional
        The inputs that vary; the two most relevant ones by default.
    center : ndarray of shape (n_features,), optional
        The point; the median row by default.
    n_points : int, default=60
        Points along each of the two inputs.
    """
    values = dense(X)
    if values.shape[1] < 2:
        raise ValueError("A slice needs at least 2 inputs, but X has 1.")
    if features is None:
        most, second = np.argsort(estimator.feature_relevance_)[::-1][:2]
        features = (int(most), int(second))
    middle = np.median(values, axis=0) if center is None else np.asarray(center, dtype=float)
    horizontal, vertical = (_covered(values[:, feature], n_points) for feature in features)
    rows = np.tile(middle, (n_points**2, 1))
    rows[:, features[0]] = np.tile(horizontal, n_points)
    rows[:, features[1]] = np.repeat(vertical, n_points)
    names = input_names(estimator)
    return Slice(features, (names[features[0]], names[features[1]]), horizontal, vertical, rows)


def _covered(column: Array, n_points: int) -> Array:
    low, high = np.quantile(column, [0.01, 0.99])
    margin = 0.05 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, n_points)


def like_fitted(estimator: Any, rows: Array) -> Any:
    """Give rows the column names an estimator was fitted with, where it was."""
    if not hasattr(estimator, "feature_names_in_"):
        return rows
    import pandas

    return pandas.DataFrame(rows, columns=estimator.feature_names_in_)
