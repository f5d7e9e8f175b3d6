"""Data frames of pandas, polars, pyarrow and libraries like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askl._typing import Array
from askl.preprocessing.column_types import clean_column


def is_frame(X: Any) -> bool:
    """Return True if X is a data frame."""
    return hasattr(X, "columns") and hasattr(X, "shape") and not hasattr(X, "tocsr")


def frame_names(X: Any) -> list[Any]:
    """Return the names of a data frame's columns."""
    return list(getattr(X, "column_names", X.columns))


def frame_columns(X: Any, kinds: Sequence[str] | None = None) -> list[Array]:
    """Return the columns of a data frame, cleaned.

    Parameters
    ----------
    X : data frame of shape (n_samples, n_features)
    kinds : sequence of str, optional
        The kind of each column where it is known; by default the values decide.

    Returns
    -------
    list of ndarray of shape (n_samples,)
        As :func:`askl.preprocessing.column_types.clean_column` returns them.
    """
    if hasattr(X, "iloc"):
        columns = [X.iloc[:, position] for position in range(X.shape[1])]
    elif hasattr(X, "column_names"):  # in pyarrow, X.columns are the columns, not their names
        columns = X.columns
    else:
        columns = [X[name] for name in X.columns]
    if kinds is None:
        kinds = ["category" if _is_unordered(column) else "" for column in columns]
    return [
        clean_column(column.to_numpy(), kind) for column, kind in zip(columns, kinds, strict=True)
    ]


def _is_unordered(column: Any) -> bool:
    """Return True for a column that the frame holds as categories without an order."""
    data_type = column.dtype if hasattr(column, "dtype") else column.type
    return getattr(data_type, "ordered", True) is False


def keep_objects(X: Any) -> Any:
    """Return rows that hold more than numbers as an array of objects, and all else unchanged.

    Left to itself, numpy would turn the numbers beside a text into texts.

    Examples
    --------
    >>> keep_objects([[1.5, "red"], [2.0, "blue"]]).tolist()
    [[1.5, 'red'], [2.0, 'blue']]
    """
    if hasattr(X, "tocsr") or np.asarray(X).dtype.kind not in "OUS":
        return X
    return np.array(X, dtype=object)
