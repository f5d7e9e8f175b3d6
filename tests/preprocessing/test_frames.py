from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from askl import TableEncoder
from askl.preprocessing.frames import is_frame


def test_pandas_polars_and_pyarrow_agree():
    columns = {
        "number": [1.0, None, 3.0, 4.0],
        "word": ["a", "b", None, "a"],
        "day": [datetime.datetime(2020, 1, day) for day in (1, 2, 3, 4)],
        "flag": [True, False, None, False],
        "price": [Decimal("1.5"), Decimal("2.5"), None, Decimal("3.5")],
    }
    expected = TableEncoder().fit_transform(pd.DataFrame(columns))
    for table in (pl.DataFrame(columns), pa.table(columns)):
        assert is_frame(table)
        encoder = TableEncoder()
        np.testing.assert_array_equal(encoder.fit_transform(table), expected)
        np.testing.assert_array_equal(encoder.transform(table), expected)
        assert encoder.feature_names_in_.tolist() == list(columns)
