"""Columns of three kinds, numbers, dates and categories: recognised, cleaned, made numbers."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.dates import (
    DATE_NUMBERS,
    date_numbers,
    durations_in,
    in_universal_time,
    read_dates,
)
from askl.preprocessing.missing_values import MISSING, is_missing, missing_rows

_SECOND = np.timedelta64(1, "s")
_NUMBERS = (int, float, np.number, np.bool_, Decimal)
_DURATIONS = (datetime.timedelta, np.timedelta64)
_DATES = (datetime.date, np.datetime64)


def kind_of(column: Array) -> str:
    """Return the kind of a cleaned column: "number", "date" or "category"."""
    return {"f": "number", "M": "date"}.get(column.dtype.kind, "category")


def clean_column(values: Array, kind: str = "") -> Array:
    """Return a column as floats with NaN, ``datetime64[us]`` with NaT, or texts.

    Booleans and integers become floats, durations become seconds. A column of objects becomes
    numbers or dates only where all of its values are: numbers, durations, dates, or texts that are
    dates in ISO 8601. Otherwise its values become texts.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
    kind : str
        ``"category"`` where the column is known to be one: then it becomes texts in any case.

    Returns
    -------
    ndarray of shape (n_samples,)
        Missing values are NaN, NaT or :data:`askl.preprocessing.missing_values.MISSING`.

    Examples
    --------
    >>> clean_column(np.array([1, None, 2.5], dtype=object))
    array([1. , nan, 2.5])
    >>> clean_column(np.array(["a", None], dtype=object)).tolist()
    ['a', '<missing>']
    >>> clean_column(np.array(["2020-01-31", None], dtype=object))
    array(['2020-01-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    >>> clean_column(np.array([1.0, 2.0]), kind="category").tolist()
    ['1', '2']
    """
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]")
    if kind != "category":
        if values.dtype.kind in "biuf":
            return values.astype(np.float64)
        if values.dtype.kind in "cM":
            return values
        if values.dtype.kind == "m":
            return durations_in(_SECOND, values)
    known = [None if is_missing(value) else value for value in values.tolist()]
    cleaned = None if kind == "category" else _numbers_or_dates(known)
    return _texts(known) if cleaned is None else cleaned


def _numbers_or_dates(values: list[Any]) -> Array | None:
    """Return objects as numbers or dates, None where they are not all of one such type."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    if all(isinstance(value, _NUMBERS) for value in present):
        return np.array([np.nan if value is None else float(value) for value in values])
    if all(isinstance(value, _DURATIONS) for value in present):
        return durations_in(_SECOND, np.array(values, dtype="timedelta64[us]"))
    if all(isinstance(value, str) for value in present):
        values = read_dates(values)
    if all(value is None or isinstance(value, _DATES) for value in values):
        return np.array([in_universal_time(value) for value in values], dtype="datetime64[us]")
    return None


def _texts(values: list[Any]) -> Array:
    return np.array([MISSING if value is None else _text(value) for value in values], dtype=object)


def _text(value: Any) -> str:
    """Return a category as text: the same one where missing values turned integers into floats."""
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole else value)


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
