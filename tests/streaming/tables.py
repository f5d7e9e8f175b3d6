"""Rows to stream, in memory and in files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyarrow import parquet

N_ROWS = 500


def make_rows(n_rows=N_ROWS):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1]


def as_table(X, y):
    """Make a table whose target is not the last column."""
    columns = {name: X[:, i] for i, name in enumerate("abc")}
    return pa.table({"a": columns["a"], "y": y, "b": columns["b"], "c": columns["c"]})


def write_files(folder, y=None):
    """Write three files of three row groups each, which have 60 rows or fewer."""
    X, values = make_rows()
    targets = values if y is None else y
    for number, rows in enumerate(np.array_split(np.arange(N_ROWS), 3)):
        table = as_table(X[rows], targets[rows])
        parquet.write_table(table, folder / f"{number}.parquet", row_group_size=60)
    return folder
