"""Checks of a table's columns, and columns that must be what they were in training."""

from __future__ import annotations

import numpy as np

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.column_types import kind_of
from askl.preprocessing.dates import DATE_NUMBERS, date_numbers
from askl.preprocessing.missing_values import missing_rows


def check_numbers(column: Array, name: str) -> None:
    """Raise a TableError where a cleaned column holds infinity or complex numbers."""
    if column.dtype.kind == "f" and np.isinf(column).any():
        raise TableError(
            f"Column {name} contains infinity. Replace it by a number, or by NaN for missing."
        )
    if column.dtype.kind == "c":
        raise TableError(
            f"Column {name} holds complex numbers. Give their real and imaginary parts as two "
            "columns."
        )


def as_numbers(column: Array, kind: str, name: str) -> Array:
    """Return a cleaned column of numbers or dates as one or three columns of numbers.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
    kind : {"number", "date"}
        What the column was in training. It may be something else only if all of it is missing.
    name : str
        For messages.

    Returns
    -------
    ndarray of shape (n_samples, 1) or (n_samples, 3)

    Examples
    --------
    >>> as_numbers(np.array([1.0, np.nan]), "number", "'size'")
    array([[ 1.],
           [nan]])
    """
    if kind_of(column) == kind:
        return date_numbers(column) if kind == "date" else column[:, None]
    missing = missing_rows(column)
    if not np.all(missing):
        raise TableError(
            f"Column {name} held a {kind} when the table was fitted, and now holds a "
            f"{kind_of(column)}, such as {column[~missing][0]!r}."
        )
    return np.full((len(column), len(DATE_NUMBERS) if kind == "date" else 1), np.nan)
