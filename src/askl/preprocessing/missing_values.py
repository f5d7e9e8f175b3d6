"""What a missing value is, among Python's objects and in cleaned columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from askl._typing import Array

# Stands for a missing value in a column of categories, which are texts.
MISSING = "<missing>"


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, and what pandas writes for missing values.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0.0, "")]
    [True, True, False, False]
    """
    # pandas' NA and NaT are recognised by name: pandas itself need not be installed.
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def missing_rows(column: Array) -> Array:
    """Return True for every missing value of a cleaned column.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
        As :func:`askl.preprocessing.column_types.clean_column` returns it.

    Examples
    --------
    >>> missing_rows(np.array([1.0, np.nan]))
    array([False,  True])
    >>> missing_rows(np.array(["a", MISSING], dtype=object))
    array([False,  True])
    """
    if column.dtype.kind == "O":
        return np.asarray(column == MISSING)
    return np.isnat(column) if column.dtype.kind == "M" else np.isnan(column)
