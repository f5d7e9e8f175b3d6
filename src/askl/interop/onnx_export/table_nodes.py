"""The table encoder as nodes of a graph."""

from __future__ import annotations

import numpy as np

from askl.errors import AsklError
from askl.interop.onnx_export.graph import Graph
from askl.preprocessing import TableEncoder


def add_table(graph: Graph, encoder: TableEncoder, inputs: str) -> str:
    """Add what a table encoder does to numbers: medians for missing values, and indicators."""
    others = [place for place, kind in enumerate(encoder.kinds_) if kind != "number"]
    if others:
        raise AsklError(
            f"Columns {others} of the table are no numbers, which export_onnx cannot encode. "
            "Export the model behind the table encoder by itself, and give it "
            "TableEncoder.transform(X)."
        )
    missing = graph("IsNaN", inputs)
    imputer = encoder.imputer_
    filled = graph("Where", missing, graph.constant(imputer.statistics_, np.float64), inputs)
    marked = graph.constant(imputer.indicator_.features_, np.int64)
    indicators = graph.cast(graph("Gather", missing, marked, axis=1), np.float64)
    return graph("Concat", filled, indicators, axis=1)
