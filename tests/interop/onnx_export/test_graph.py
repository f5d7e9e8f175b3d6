"""Graphs under construction."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from askl.interop.onnx_export.graph import Graph
from tests.interop.onnx_export.runs import run_graph

X = np.array([[3.0, 1.0, 2.0], [5.0, 9.0, 7.0]])


def test_nodes_are_in_the_order_in_which_they_were_added():
    graph = Graph()
    total = graph("Add", "X", graph.constant(1.0))
    result = graph("Neg", total)
    assert [node.op_type for node in graph.nodes] == ["Add", "Neg"]
    np.testing.assert_array_equal(run_graph(graph, result, X), -(X + 1.0))


def test_names_never_repeat():
    graph = Graph()
    names = [graph.constant(number) for number in range(3)]
    names += [graph("Neg", "X") for _ in range(3)]
    values, places = graph.top("X", 1)
    assert len({*names, values, places}) == 8
    assert graph("Identity", "X", output="mine") == "mine"


def test_numbers_are_stored_in_single_precision_and_computed_in_that_of_the_graph():
    for dtype, kind in ((np.float64, onnx.TensorProto.DOUBLE), (np.float32, None)):
        graph = Graph(dtype)
        graph.number([0.1, 0.2])
        assert graph.constants[0].data_type == onnx.TensorProto.FLOAT
        casts = [node.attribute[0].i for node in graph.nodes]
        assert casts == ([] if kind is None else [kind])


@pytest.mark.parametrize("count", [1, 2])
def test_the_largest_of_each_row_come_first(count):
    graph = Graph()
    values, places = graph.top("X", count)
    expected = np.sort(X, axis=1)[:, ::-1][:, :count]
    np.testing.assert_array_equal(run_graph(graph, values, X), expected)
    np.testing.assert_array_equal(run_graph(graph, places, X), np.argsort(-X, axis=1)[:, :count])
