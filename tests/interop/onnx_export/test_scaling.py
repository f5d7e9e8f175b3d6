"""Input scalings as nodes."""

from __future__ import annotations

import numpy as np
import pytest

from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.scaling import add_scaling
from askl.preprocessing.input_scaling import SCALINGS, fit_scaling
from tests.interop.onnx_export.runs import run_graph


def awkward_columns() -> np.ndarray:
    """Ties, a constant, a large offset, a heavy tail and few distinct values."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] = 7.0
    X[:, 3] += 1e6
    X[:, 4] = np.exp(4.0 * X[:, 4])
    X[:, 5] = rng.integers(0, 3, size=400)
    return X


@pytest.mark.parametrize("kind", SCALINGS)
@pytest.mark.parametrize("n_rows", [2, 400])
def test_scalings_are_those_of_the_estimators(kind, n_rows):
    X = awkward_columns()
    scaling = fit_scaling(X[:n_rows], kind)
    graph = Graph()
    result = add_scaling(graph, scaling, "X")
    # Rows it knows, rows between them, and rows far outside.
    rows = np.vstack([X, 0.5 * (X[1:] + X[:-1]), 100.0 * X, -1e300 * np.ones((1, 6))])
    expected = scaling.apply(rows[:-1] if kind == "none" else rows)
    got = run_graph(graph, result, rows)[: len(expected)]
    np.testing.assert_allclose(got, expected, rtol=3e-7, atol=3e-7)
