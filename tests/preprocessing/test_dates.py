from __future__ import annotations

import numpy as np
import pandas as pd

from askl.preprocessing.dates import date_numbers


def test_date_numbers_against_the_calendar():
    dates = pd.date_range("1999-12-25", periods=400, freq="37h")
    numbers = date_numbers(dates.to_numpy().astype("datetime64[us]"))
    np.testing.assert_array_equal(numbers[:, 1], dates.day_of_year - 1)
    np.testing.assert_array_equal(numbers[:, 2], dates.day_of_week)
    missing = date_numbers(np.array(["NaT"], dtype="datetime64[us]"))
    assert np.isnan(missing).all()
