"""The spread encoder as nodes."""

from __future__ import annotations

import numpy as np
import pytest

from askl import AutoSpectralKernelClassifier, SpreadEncoder
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.spread_nodes import add_spreads
from tests.interop.onnx_export.runs import assert_close, run_graph


@pytest.mark.parametrize("scaling", ["robust", "quantile"])
def test_spreads_are_part_of_the_graph(scaling, run):
    random = np.random.default_rng(0)
    y = random.integers(2, size=600)
    steps = np.floor(4.0 * random.normal(size=(600, 4)) * (1.0 + y[:, None]))
    X = np.hstack([random.normal(size=(600, 3)) * (1.0 + y[:, None]), steps])
    small = {"one": {"n_components": 64, "max_epochs": 3, "scale_inputs": scaling}}
    model = AutoSpectralKernelClassifier(
        time_budget=None, portfolio=small, max_members=1, random_state=0
    ).fit(X, y)
    assert model.spreads_.groups_ == [(0, 1, 2), (3, 4, 5, 6)]
    assert_close(run(model, X)["probabilities"], model.predict_proba(X))


def test_the_nodes_give_the_columns_of_the_encoder():
    random = np.random.default_rng(0)
    y = random.integers(2, size=800)
    X = random.normal(size=(800, 5)) * (1.0 + y[:, None])
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    assert encoder.groups_ == [(0, 1, 2, 3, 4)]
    graph = Graph()
    found = run_graph(graph, add_spreads(graph, encoder, "X"), X[:60])
    np.testing.assert_allclose(found, encoder.transform(X[:60]), rtol=1e-6, atol=1e-6)
