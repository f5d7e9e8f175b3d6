"""Rows of arrays, sparse matrices and data frames, as figures and reports need them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from askl._typing import Array
from askl.preprocessing.column_types import kind_of
from askl.preprocessing.frames import frame_columns, frame_names, is_frame


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of an array, a sparse matrix or a data frame.

    Examples
    --------
    >>> take_rows(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0])).tolist()
    [[3.0], [1.0]]
    """
    return _safe_indexing(X, rows)


def some_rows(n_rows: int, max_rows: int) -> Array:
    """Choose at most ``max_rows`` rows at random: the same ones each time, in their order."""
    if n_rows <= max_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, max_rows, replace=False))


def columns_of(X: Any) -> list[Array]:
    """Return the columns: floats with NaN, dates, or texts as objects."""
    return frame_columns(X) if is_frame(X) else list(dense(X).T)


def dense(X: Any) -> Array:
    """Return rows as a dense array of numbers, or raise and name the column that holds others."""
    if not is_frame(X):
        return np.asarray(X.toarray() if issparse(X) else X, dtype=np.float64)
    columns = frame_columns(X)
    for name, column in zip(frame_names(X), columns, strict=True):
        if kind_of(column) != "number":
            contents = {"date": "dates", "category": "text or categories"}[kind_of(column)]
            raise ValueError(
                f"A figure over two inputs needs numbers, but column {str(name)!r} holds "
                f"{contents}. Draw a member of the automatic model instead, "
                "model.members_[0], on model.encode_inputs(X)."
            )
    return np.stack(columns, axis=1)


def like_fitted(estimator: Any, rows: Array) -> Any:
    """Give rows the column names that an estimator was fitted with, if it was fitted with any."""
    if not hasattr(estimator, "feature_names_in_"):
        return rows
    import pandas

    return pandas.DataFrame(rows, columns=estimator.feature_names_in_)
