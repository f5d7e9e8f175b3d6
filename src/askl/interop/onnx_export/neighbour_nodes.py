"""The neighbour encoder as nodes of a graph."""

from __future__ import annotations

import numpy as np

from askl._typing import Array
from askl.discovery import NeighbourEncoder
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.scaling import add_scaling


def add_neighbours(graph: Graph, encoder: NeighbourEncoder, inputs: str) -> str:
    """Append the mean target of the nearest places of each group of columns."""
    scaled = graph.cast(add_scaling(graph, encoder.scaling_, inputs), np.float64)
    columns = [inputs]
    known = zip(encoder.groups_, encoder.places_, encoder.targets_, encoder.counts_, strict=True)
    for group, places, targets, counts in known:
        squares = _squared_distances(graph, group, places, scaled)
        n_nearest = min(encoder.n_nearest(group) + 1, len(places))
        columns.append(_mean_around(graph, squares, targets, counts, n_nearest))
    return graph("Concat", *columns, axis=1)


def _squared_distances(graph: Graph, group: tuple[int, ...], places: Array, scaled: str) -> str:
    """Add the squared distances of all rows to all places."""
    squares = []
    for position, column in enumerate(group):
        here = graph("Gather", scaled, graph.constant([column], np.int64), axis=1)
        there = graph.constant(places[None, :, position], np.float64)
        difference = graph("Sub", here, there)
        squares.append(graph("Mul", difference, difference))
    return graph("Sum", *squares)


def _mean_around(graph: Graph, squares: str, targets: Array, counts: Array, n_nearest: int) -> str:
    """Add the mean target of the nearest places, with weights that fall with the distance."""
    least, nearest = graph.top(graph("Neg", squares), n_nearest)
    distances = graph("Sqrt", graph("Neg", least))
    farthest = graph("Gather", distances, graph.constant([n_nearest - 1], np.int64), axis=1)
    falling = graph("Sub", graph.constant(1.0), graph("Div", distances, farthest))
    numbers = graph("Gather", graph.constant(counts, np.float64), nearest)
    weights = graph("Mul", numbers, falling)
    total = graph("ReduceSum", weights, graph.constant([1], np.int64), keepdims=1)
    shares = graph("Unsqueeze", graph("Div", weights, total), graph.constant([1], np.int64))
    means = graph("MatMul", shares, graph("Gather", graph.constant(targets), nearest))
    rounded = graph.cast(graph.cast(means, np.float32), np.float64)
    return graph("Squeeze", rounded, graph.constant([1], np.int64))
