from __future__ import annotations

import numpy as np
import pytest

from askl.errors import TableError
from askl.preprocessing.dates import date_numbers
from askl.preprocessing.missing_values import MISSING
from askl.preprocessing.table_columns import as_numbers, check_numbers

DATES = np.array(["2020-01-31", "NaT"], dtype="datetime64[us]")
NOTHING = np.array([MISSING, MISSING], dtype=object)


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
