from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from askl.errors import TableError
from askl.preprocessing.column_types import as_numbers, check_numbers, clean_column, kind_of
from askl.preprocessing.dates import date_numbers
from askl.preprocessing.missing_values import MISSING

DATES = np.array(["2020-01-31", "NaT"], dtype="datetime64[us]")
NOTHING = np.array([MISSING, MISSING], dtype=object)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False], [1.0, 0.0]),
        (np.array([1, 2], dtype=np.int8), [1.0, 2.0]),
        (np.array([True, None], dtype=object), [1.0, np.nan]),
        (np.array([1, float("nan"), pd.NA], dtype=object), [1.0, np.nan, np.nan]),
        (np.array([1500], dtype="timedelta64[ms]"), [1.5]),
        (np.array([Decimal("1.25"), None], dtype=object), [1.25, np.nan]),
        (np.array([datetime.timedelta(minutes=1), None], dtype=object), [60.0, np.nan]),
        (np.array([pd.Timedelta("1h"), np.timedelta64(1, "s")], dtype=object), [3600.0, 1.0]),
    ],
)
def test_numbers(values, expected):
    np.testing.assert_array_equal(clean_column(np.asarray(values)), expected)


def test_mixed_objects_become_strings():
    cleaned = clean_column(np.array([1, "a", None, pd.NaT], dtype=object))
    assert cleaned.tolist() == ["1", "a", MISSING, MISSING]
    assert kind_of(cleaned) == "category"


def test_dates_with_time_zones_are_converted_to_universal_time():
    paris = datetime.timezone(datetime.timedelta(hours=2))
    values = np.array([datetime.datetime(2020, 1, 1, 2, tzinfo=paris), None], dtype=object)
    cleaned = clean_column(values)
    assert cleaned[0] == np.datetime64("2020-01-01T00:00")
    assert np.isnat(cleaned[1])


def test_dates_may_be_written_out():
    written = ["2020-01-31", "2020-01-31 06:30", "2020-01-31T06:30:00Z", None]
    cleaned = clean_column(np.array([*written, "2020-01-31 08:30:00+02:00"], dtype=object))
    morning = np.datetime64("2020-01-31T06:30")
    assert cleaned[0] == np.datetime64("2020-01-31")
    assert (cleaned[[1, 2, 4]] == morning).all()
    assert np.isnat(cleaned[3])


@pytest.mark.parametrize("other", ["2020-02-30", "20200131", "2020-01", "31.01.2020", "soon", ""])
def test_strings_that_are_not_all_dates_are_categories(other):
    assert clean_column(np.array(["2020-01-31", other], dtype=object)).tolist()[1] == other


def test_infinity_and_complex_numbers_are_refused():
    check_numbers(np.array([1.0, np.nan]), "0")
    check_numbers(DATES, "0")
    with pytest.raises(TableError, match=r"Column 'a' contains infinity\. Replace it"):
        check_numbers(np.array([1.0, -np.inf]), "'a'")
    with pytest.raises(TableError, match=r"Column 3 holds complex numbers\. Give their real"):
        check_numbers(np.array([1j]), "3")


def test_numbers_are_one_column_and_dates_are_three():
    assert as_numbers(np.array([1.0, 2.0]), "number", "0").tolist() == [[1.0], [2.0]]
    np.testing.assert_array_equal(as_numbers(DATES, "date", "0"), date_numbers(DATES))


@pytest.mark.parametrize(("kind", "width"), [("number", 1), ("date", 3)])
def test_a_column_of_another_kind_must_be_missing(kind, width):
    missing = as_numbers(NOTHING, kind, "0")
    assert missing.shape == (2, width)
    assert np.isnan(missing).all()
    with pytest.raises(TableError, match=rf"Column 'a' held a {kind} .*a category, such as 'x'"):
        as_numbers(np.array([MISSING, "x"], dtype=object), kind, "'a'")
