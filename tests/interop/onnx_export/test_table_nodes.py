"""The table encoder as nodes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl import TableEncoder
from askl.errors import AsklError
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.table_nodes import add_table
from tests.interop.onnx_export.runs import run_graph


def test_gaps_are_replaced_and_marked():
    X = np.array([[1.0, np.nan, 5.0], [3.0, 7.0, np.nan], [8.0, 9.0, 2.0], [4.0, 1.0, 1.0]])
    encoder, graph = TableEncoder().fit(X), Graph()
    rows = np.where(np.eye(4, 3) > 0, np.nan, X)  # also in a column that had none
    found = run_graph(graph, add_table(graph, encoder, "X"), rows)
    np.testing.assert_array_equal(found, encoder.transform(rows))


@pytest.mark.parametrize("column", [["x", "y"], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_other_columns_are_refused_with_their_positions(column):
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0], "b": column}))
    with pytest.raises(AsklError, match=r"Columns \[1\] of the table are no numbers"):
        add_table(Graph(), encoder, "X")
