from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl.preprocessing.column_types import clean_column
from askl.preprocessing.missing_values import is_missing, missing_rows


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_what_is_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, "", "nan", "None", False, np.inf, np.datetime64("NaT")])
def test_what_is_not_missing_among_objects(value):
    assert not is_missing(value)


@pytest.mark.parametrize("values", [[1.5, None], ["a", None], [pd.Timestamp(0), None]])
def test_missing_rows_of_every_kind_of_column(values):
    column = clean_column(np.array([*values, *values], dtype=object))
    assert missing_rows(column).tolist() == [False, True, False, True]
