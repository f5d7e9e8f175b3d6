"""Layers as nodes: φ(x) and Wᵀφ(x)."""

from __future__ import annotations

import numpy as np
import pytest

from askl.errors import AsklError
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.layers import add_features, add_outputs
from askl.spectral import ACTIVATIONS
from tests.interop.onnx_export.runs import run_graph
from tests.models import classifier


@pytest.mark.parametrize("hidden", [(), (20,), (20, 10)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_features_are_those_of_the_model(activation, hidden, classes):
    X, y = classes
    model = classifier(activation=activation, hidden_components=hidden, max_epochs=2).fit(X, y)
    graph = Graph()
    found = run_graph(graph, add_features(graph, model, "X"), X)
    np.testing.assert_allclose(found, model.transform(X), atol=2e-6)


def test_outputs_are_those_of_the_model(classes):
    X, y = classes
    model, graph = classifier(max_epochs=2).fit(X, y), Graph(np.float32)
    found = run_graph(graph, add_outputs(graph, model, "X"), X)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, model.decision_function(X), atol=1e-4)


def test_cosines_are_sines_in_double_precision(classes):
    model = classifier(max_epochs=1).fit(*classes)
    for dtype, operator in ((np.float64, "Sin"), (np.float32, "Cos")):
        graph = Graph(dtype)
        add_features(graph, model, "X")
        used = {node.op_type for node in graph.nodes}
        assert used & {"Sin", "Cos"} == {operator}


def test_an_activation_is_exported_if_its_row_names_operators(classes, monkeypatch):
    X, y = classes
    row = ACTIVATIONS["sigmoid"]
    monkeypatch.setitem(ACTIVATIONS, "own", row._replace(onnx_operators=()))
    model = classifier(activation="own", max_epochs=1).fit(X, y)
    with pytest.raises(AsklError, match=r"no operators for activation='own'.*as onnx_operators"):
        add_features(Graph(), model, "X")
    monkeypatch.setitem(ACTIVATIONS, "own", row)
    graph = Graph()
    found = run_graph(graph, add_features(graph, model, "X"), X)
    np.testing.assert_allclose(found, model.transform(X), atol=2e-6)
