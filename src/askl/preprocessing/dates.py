"""Dates: read from texts, and turned into numbers."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np

from askl._typing import Array

DATE_NUMBERS = ("days since 1970", "day of the year", "day of the week")
_DAY = np.timedelta64(1, "D")
_EPOCH = np.datetime64("1970-01-01")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ]\d\d:)")
_ZULU = re.compile("Z$")


def read_dates(texts: list[str | None]) -> list[Any]:
    """Return the dates that all texts are; any other list is returned unchanged.

    Examples
    --------
    >>> read_dates(["2020-01-31", None])
    [datetime.datetime(2020, 1, 31, 0, 0), None]
    >>> read_dates(["2020-01-31", "soon"])
    ['2020-01-31', 'soon']
    """
    if not all(text is None or _DATE.match(text) for text in texts):
        return texts
    try:
        return [
            text and datetime.datetime.fromisoformat(_ZULU.sub("+00:00", text)) for text in texts
        ]
    except ValueError:  # such as the 30th of February
        return texts


def in_universal_time(value: Any) -> Any:
    """Return a date with a time zone in universal time, the only one that numpy has."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def durations_in(unit: np.timedelta64, durations: Array) -> Array:
    """Divide durations by a unit; missing ones become NaN.

    Examples
    --------
    >>> durations_in(np.timedelta64(1, "s"), np.array([1500, "NaT"], dtype="timedelta64[ms]"))
    array([1.5, nan])
    """
    missing = np.isnat(durations)
    numbers: Array = np.where(missing, np.timedelta64(0), durations) / unit
    numbers[missing] = np.nan
    return numbers


def date_numbers(dates: Array) -> Array:
    """Turn dates into the three numbers of :data:`DATE_NUMBERS`.

    Parameters
    ----------
    dates : ndarray of datetime64, of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples, 3)

    Examples
    --------
    >>> date_numbers(np.array(["1970-01-02T12:00"], dtype="datetime64[us]"))
    array([[1.5, 1. , 4. ]])
    """
    days = dates.astype("datetime64[D]")
    since_new_year = days - dates.astype("datetime64[Y]").astype("datetime64[D]")
    whole_days = durations_in(_DAY, days - _EPOCH)
    return np.stack(
        [
            durations_in(_DAY, dates - _EPOCH),
            durations_in(_DAY, since_new_year),
            np.mod(whole_days + 3.0, 7.0),  # 1970 began on a Thursday; Monday is 0
        ],
        axis=1,
    )
