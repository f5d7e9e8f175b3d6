"""Quantiles as nodes: levels of values, and normal quantiles of levels."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from askl.interop.onnx_export.graph import Graph
from askl.interop.onnx_export.quantiles import add_normal_quantile, add_normal_scores
from tests.interop.onnx_export.runs import run_graph


def test_the_normal_quantile_has_all_digits():
    levels = np.linspace(5e-4, 1.0 - 5e-4, 20_001)[:, None]
    graph = Graph()
    got = run_graph(graph, add_normal_quantile(graph, "X"), levels)
    np.testing.assert_allclose(got, ndtri(levels), rtol=1e-14, atol=1e-15)


def test_levels_are_interpolated_and_ties_have_the_middle_one():
    levels = np.linspace(0.0, 1.0, 5)[:, None]
    quantiles = np.array([[0.0, 1.0, 1.0, 1.0, 5.0], [-2.0, -1.0, 0.0, 10.0, 20.0]]).T
    graph = Graph()
    result = add_normal_scores(graph, {"quantiles": quantiles, "levels": levels}, "X")
    rows = np.array([[0.5, -1.5], [1.0, 5.0], [3.0, 20.0], [-9.0, 99.0]])
    # Ties at one have the levels 0.25 to 0.75; outside the range the margin of a tenth decides.
    expected = [[0.125, 0.125], [0.5, 0.625], [0.875, 0.9], [0.1, 0.9]]
    np.testing.assert_allclose(run_graph(graph, result, rows), ndtri(expected), rtol=1e-6)
