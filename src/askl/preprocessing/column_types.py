"""The columns of a data frame as arrays of three kinds: numbers, dates and categories."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from askl._typing import Array

MISSING = "<missing>"
_DAY = np.timedelta64(1, "D")
_SECOND = np.timedelta64(1, "s")
_NUMBERS = (int, float, np.number, np.bool_, Decimal)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ]\d\d:)")
_ZULU = re.compile("Z$")


def is_frame(X: Any) -> bool:
    """Say whether X is a data frame: of pandas, polars, pyarrow or anything like them."""
    return hasattr(X, "columns") and hasattr(X, "shape") and not hasattr(X, "tocsr")


def frame_names(X: Any) -> list[Any]:
    """Return the names of a data frame's columns."""
    return list(getattr(X, "column_names", X.columns))


def keep_objects(X: Any) -> Any:
    """Return rows that hold more than numbers as an array of objects, and all else as it is.

    numpy makes everything in a list one kind, and so texts of the numbers beside a text.

    Examples
    --------
    >>> keep_objects([[1.5, "red"], [2.0, "blue"]]).tolist()
    [[1.5, 'red'], [2.0, 'blue']]
    """
    if hasattr(X, "tocsr") or np.asarray(X).dtype.kind not in "OUS":
        return X
    return np.array(X, dtype=object)


def frame_columns(X: Any, kinds: Sequence[str] | None = None) -> list[Array]:
    """Return the columns of a data frame as arrays of floats, ``datetime64`` or strings.

    Parameters
    ----------
    X : data frame
    kinds : sequence of str, optional
        What the columns are known to be; by default it is found out.
    """
    if hasattr(X, "iloc"):
        columns = [X.iloc[:, position] for position in range(X.shape[1])]
    elif hasattr(X, "column_names"):  # of pyarrow, where these are the columns themselves
        columns = X.columns
    else:
        columns = [X[name] for name in X.columns]
    if kinds is None:
        kinds = ["category" if _has_no_order(column) else "" for column in columns]
    return [
        clean_column(column.to_numpy(), kind) for column, kind in zip(columns, kinds, strict=True)
    ]


def _has_no_order(column: Any) -> bool:
    """Say whether a column is held as categories without an order, such as codes of places."""
    data_type = column.dtype if hasattr(column, "dtype") else column.type
    return getattr(data_type, "ordered", True) is False


def clean_column(values: Array, kind: str = "") -> Array:
    """Bring a column to floats with NaN, ``datetime64[us]`` with NaT, or strings.

    Booleans and integers are numbers; durations are seconds. Objects are looked at one by one:
    all numbers, all durations, all dates (or strings that say one as ISO 8601 does), or else their
    strings, with a mark for missing ones. What is known to be a category is strings in any case.

    Examples
    --------
    >>> import numpy as np
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
            return _numbers_of(values, _SECOND)
    known = [None if is_missing(value) else value for value in values.tolist()]
    present = [value for value in known if value is not None]
    if kind != "category" and present:
        if all(isinstance(value, _NUMBERS) for value in present):
            return np.array([np.nan if x is None else float(x) for x in known])
        if all(isinstance(value, (datetime.timedelta, np.timedelta64)) for value in present):
            return _numbers_of(np.array(known, dtype="timedelta64[us]"), _SECOND)
        if all(isinstance(value, str) for value in present):
            known = _read_dates(known)
            present = [value for value in known if value is not None]
        if all(isinstance(value, (datetime.date, np.datetime64)) for value in present):
            return np.array([_naive(value) for value in known], dtype="datetime64[us]")
    return np.array([MISSING if value is None else _text(value) for value in known], dtype=object)


def _read_dates(texts: list[str | None]) -> list[Any]:
    """Read strings that all say a date; any others are returned as they are."""
    if not all(text is None or _DATE.match(text) for text in texts):
        return texts
    try:
        return [
            text and datetime.datetime.fromisoformat(_ZULU.sub("+00:00", text)) for text in texts
        ]
    except ValueError:  # such as the 30th of February
        return texts


def _text(value: Any) -> str:
    """Write a category; one and the same whether or not missing ones have made numbers floats."""
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole else value)


def is_missing(value: Any) -> bool:
    """Say whether a value stands for none."""
    # pandas' NA and NaT are told by name: pandas itself need not be installed.
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _naive(value: Any) -> Any:
    """Bring a date with a time zone to universal time, which numpy has no words for."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def _numbers_of(values: Array, unit: np.timedelta64) -> Array:
    missing = np.isnat(values)
    numbers: Array = np.where(missing, np.timedelta64(0), values) / unit
    numbers[missing] = np.nan
    return numbers


# What the numbers of a date are.
DATE_NUMBERS = ("days since 1970", "day of the year", "day of the week")


def date_numbers(dates: Array) -> Array:
    """Turn dates into three numbers: days since 1970, day of the year, day of the week.

    Examples
    --------
    >>> import numpy as np
    >>> date_numbers(np.array(["1970-01-02T12:00"], dtype="datetime64[us]"))
    array([[1.5, 1. , 4. ]])
    """
    days = dates.astype("datetime64[D]")
    since_new_year = days - dates.astype("datetime64[Y]").astype("datetime64[D]")
    whole_days = _numbers_of(days - np.datetime64("1970-01-01"), _DAY)
    return np.stack(
        [
            _numbers_of(dates - np.datetime64("1970-01-01"), _DAY),
            _numbers_of(since_new_year, _DAY),
            np.mod(whole_days + 3.0, 7.0),  # 1970 began on a Thursday; Monday is 0
        ],
        axis=1,
    )


def kind_of(column: Array) -> str:
    """Name the kind of a clean column."""
    return {"f": "number", "M": "date"}.get(column.dtype.kind, "category")
