"""The columns of a data frame as arrays of three kinds: numbers, dates and categories."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from askl.estimators.scaling import Array

MISSING = "<missing>"
_DAY = np.timedelta64(1, "D")


def is_frame(X: Any) -> bool:
    """Say whether X is a data frame: of pandas, polars or anything like them."""
    return hasattr(X, "columns") and hasattr(X, "shape") and not hasattr(X, "tocsr")


def frame_columns(X: Any) -> list[Array]:
    """Return the columns of a data frame as arrays of floats, ``datetime64`` or strings."""
    if hasattr(X, "iloc"):  # by position, since names may repeat
        columns = [X.iloc[:, position] for position in range(X.shape[1])]
    else:
        columns = [X[name] for name in X.columns]
    return [clean_column(column.to_numpy()) for column in columns]


def clean_column(values: Array) -> Array:
    """Bring a column to floats with NaN, ``datetime64[us]`` with NaT, or strings.

    Booleans and integers are numbers; durations are seconds. Objects are looked at one by one:
    all numbers, all dates, or else their strings, with a mark for missing ones.

    Examples
    --------
    >>> import numpy as np
    >>> clean_column(np.array([1, None, 2.5], dtype=object))
    array([1. , nan, 2.5])
    >>> clean_column(np.array(["a", None], dtype=object)).tolist()
    ['a', '<missing>']
    """
    kind = values.dtype.kind
    if kind in "biuf":
        return values.astype(np.float64)
    if kind == "M":
        return values.astype("datetime64[us]")
    if kind == "m":
        return _numbers_of(values, np.timedelta64(1, "s"))
    known = [None if _is_missing(value) else value for value in values.tolist()]
    present = [value for value in known if value is not None]
    if present and all(isinstance(value, (int, float, np.number)) for value in present):
        return np.array([np.nan if value is None else value for value in known], dtype=np.float64)
    if present and all(isinstance(value, (datetime.date, np.datetime64)) for value in present):
        return np.array([_naive(value) for value in known], dtype="datetime64[us]")
    return np.array([MISSING if value is None else str(value) for value in known], dtype=object)


def _is_missing(value: Any) -> bool:
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
