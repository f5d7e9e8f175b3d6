"""The spread encoder as nodes of a graph."""

from __future__ import annotations

import numpy as np

from askl.discovery import SpreadEncoder
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.scaling import add_scaling


def add_spreads(graph: Graph, encoder: SpreadEncoder, inputs: str) -> str:
    """Append the mean and the standard deviation of each group of columns."""
    scaled = graph.cast(add_scaling(graph, encoder.scaling_, inputs), np.float64)
    across = graph.constant([1], np.int64)
    means, deviations = [], []
    for group in encoder.groups_:
        size = graph.constant(float(len(group)))
        part = graph("Gather", scaled, graph.constant(group, np.int64), axis=1)
        means.append(graph("Div", graph("ReduceSum", part, across, keepdims=1), size))
        centred = graph("Sub", part, means[-1])
        square = graph("ReduceSum", graph("Mul", centred, centred), across, keepdims=1)
        deviations.append(graph("Sqrt", graph("Div", square, size)))
    new = graph.cast(graph("Concat", *means, *deviations, axis=1), np.float32)
    return graph("Concat", inputs, graph.cast(new, np.float64), axis=1)
