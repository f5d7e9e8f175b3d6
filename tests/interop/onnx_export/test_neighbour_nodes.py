"""The neighbour encoder as nodes."""

from __future__ import annotations

import numpy as np
import pytest

from askl import AutoSpectralKernelRegressor, NeighbourEncoder
from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.neighbour_nodes import add_neighbours
from tests.interop.onnx_export.runs import assert_close, run_graph


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize(("group", "n_steps"), [((0, 1), 8), ((1,), 50)])
def test_neighbours_are_part_of_the_graph(group, n_steps, n_outputs, run):
    random = np.random.default_rng(0)
    X = random.uniform(size=(1200, 3))
    y = np.minimum(np.floor(X[:, group] * n_steps).sum(axis=1) % 2 + X[:, 2], 1.1)
    targets = np.column_stack([y, -y]) if n_outputs == 2 else y
    small = {"one": {"n_components": 64, "max_epochs": 3, "scale_inputs": "quantile"}}
    model = AutoSpectralKernelRegressor(
        time_budget=None, portfolio=small, max_members=1, random_state=0
    ).fit(X, targets)
    assert model.neighbours_.groups_ == [group]
    new = random.uniform(size=(500, 3))
    assert_close(run(model, new)["prediction"], model.predict(new))


def test_the_nodes_give_the_columns_of_the_encoder():
    random = np.random.default_rng(0)
    X = random.uniform(size=(900, 3))
    y = np.floor(X[:, [0, 2]] * 8).sum(axis=1) % 2
    encoder = NeighbourEncoder(random_state=0).fit(X, y)
    assert encoder.groups_ == [(0, 2)]
    graph, rows = Graph(), np.vstack([X[:50], random.uniform(-1, 2, size=(50, 3))])
    found = run_graph(graph, add_neighbours(graph, encoder, "X"), rows)
    np.testing.assert_allclose(found, encoder.transform(rows), atol=1e-5)
