"""The table of encoders that a graph may have."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from askl.auto.encoders import ENCODERS
from askl.errors import AsklError
from askl.interop.onnx_export.encoders import ENCODER_NODES, add_encoder
from askl.interop.onnx_export.graph import Graph
from tests.interop.onnx_export.runs import run_graph


def test_every_encoder_of_the_automatic_models_has_nodes():
    assert {kind.__name__ for kind in ENCODER_NODES} == {"TableEncoder", *ENCODERS}


def test_an_encoder_is_one_function_and_one_row(monkeypatch):
    def add_standard(graph, encoder, inputs):
        centred = graph("Sub", inputs, graph.constant(encoder.mean_))
        return graph("Div", centred, graph.constant(encoder.scale_))

    X = np.random.default_rng(0).normal(3.0, 2.0, size=(20, 2))
    encoder = StandardScaler().fit(X)
    with pytest.raises(AsklError, match="does not support StandardScaler, only TableEncoder, "):
        add_encoder(Graph(), encoder, "X")
    monkeypatch.setitem(ENCODER_NODES, StandardScaler, add_standard)
    graph = Graph()
    found = run_graph(graph, add_encoder(graph, encoder, "X"), X)
    np.testing.assert_allclose(found, encoder.transform(X))
