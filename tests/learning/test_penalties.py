from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from askl.learning import (
    HEAD_NORMS,
    prox_squared_frobenius,
    prox_trace_norm,
    singular_values,
    squared_feature_norm,
    squared_frobenius_norm,
    trace_norm,
)
from tests import naive

SHAPES = {"tall": (60, 5), "wide": (4, 30), "square": (7, 7), "one output": (40, 1), "row": (1, 6)}


def make_matrix(shape, generator, rank=None):
    rows, columns = shape
    if rank is None:
        return torch.randn(rows, columns, generator=generator, dtype=torch.float64)
    left = torch.randn(rows, rank, generator=generator, dtype=torch.float64)
    return left @ torch.randn(rank, columns, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rank", [None, 2, 0], ids=["full rank", "rank 2", "zero"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5], ids=lambda share: f"threshold {share}")
def test_svt_equals_the_svd_route(shape, rank, dtype, share, generator):
    weights = make_matrix(shape, generator, rank).to(dtype)
    threshold = share * float(singular_values(weights)[0]) if rank != 0 else share
    shrunk = prox_trace_norm(weights, threshold)
    exact = naive.prox_trace_norm(weights, threshold)
    assert shrunk.dtype == dtype
    assert np.linalg.norm(shrunk.numpy() - exact) <= 1e-5 * np.linalg.norm(exact)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_svt_above_every_singular_value_leaves_exactly_zero(shape, dtype, generator):
    weights = make_matrix(shape, generator).to(dtype)
    threshold = 1.1 * float(singular_values(weights)[0])
    assert torch.count_nonzero(prox_trace_norm(weights, threshold)) == 0


def test_svt_of_the_head_of_a_large_model(generator):
    weights = make_matrix((2000, 26), generator).float()
    threshold = float(singular_values(weights)[13])
    exact = naive.prox_trace_norm(weights, threshold)
    error = np.linalg.norm(prox_trace_norm(weights, threshold).numpy() - exact)
    assert error <= 1e-5 * np.linalg.norm(exact)
    assert np.linalg.matrix_rank(exact, tol=1e-6) == 13


@pytest.mark.parametrize("name", HEAD_NORMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("threshold", [0.05, 1.0, 3.0])
def test_the_prox_beats_a_thousand_nearby_points(name, shape, threshold, generator):
    value, prox, *_ = HEAD_NORMS[name]
    weights = make_matrix(shape, generator)
    best = prox(weights, threshold)

    def cost(point):
        return 0.5 * float((point - weights).square().sum()) + threshold * float(value(point))

    least = cost(best)
    for number in range(1000):
        step = make_matrix(shape, generator) * 10.0 ** -(number % 5)
        assert cost(best + step) > least


@pytest.mark.parametrize("name", HEAD_NORMS)
def test_a_threshold_of_zero_changes_nothing(name, generator):
    weights = make_matrix((6, 3), generator)
    torch.testing.assert_close(HEAD_NORMS[name].prox(weights, 0.0), weights)


@pytest.mark.parametrize("name", HEAD_NORMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_zero_stays_zero(name, shape):
    value, prox, *_ = HEAD_NORMS[name]
    weights = torch.zeros(shape)
    assert torch.equal(prox(weights, 0.1), weights)
    assert value(weights) == 0.0


matrices = arrays.arrays(np.float64, (5, 3), elements=st.floats(-100, 100, allow_subnormal=False))


@given(matrices, matrices, st.floats(0.0, 50.0, allow_subnormal=False))
@pytest.mark.parametrize("name", HEAD_NORMS)
def test_the_prox_is_nonexpansive(name, first, second, threshold):
    prox = HEAD_NORMS[name].prox
    before = np.linalg.norm(first - second)
    moved = prox(torch.from_numpy(first), threshold) - prox(torch.from_numpy(second), threshold)
    assert float(moved.norm()) <= before * (1.0 + 1e-6) + 1e-5


@given(matrices, st.floats(0.0, 50.0, allow_subnormal=False))
def test_svt_shrinks_every_singular_value_by_the_threshold(weights, threshold):
    before = np.linalg.svd(weights, compute_uv=False)
    after = singular_values(prox_trace_norm(torch.from_numpy(weights), threshold)).numpy()
    # The Gram matrix resolves singular values to the root of its precision.
    tolerance = 1e-7 * max(1.0, before[0])
    np.testing.assert_allclose(after, np.maximum(before - threshold, 0.0), atol=tolerance)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_norms_equal_their_definitions(shape, generator):
    weights = make_matrix(shape, generator)
    values = np.linalg.svd(weights.numpy(), compute_uv=False)
    np.testing.assert_allclose(singular_values(weights), values, rtol=1e-12)
    assert float(trace_norm(weights)) == pytest.approx(values.sum(), rel=1e-9)
    assert float(squared_frobenius_norm(weights)) == pytest.approx((values**2).sum(), rel=1e-12)


def test_norms_are_summed_in_double_precision():
    weights = torch.full((1000, 1), 1e-3)
    for norm in (trace_norm, squared_frobenius_norm, singular_values):
        assert norm(weights).dtype == torch.float64


SOLVED_NORMS = [name for name, row in HEAD_NORMS.items() if row.unsquared is not None]


@pytest.mark.parametrize("name", SOLVED_NORMS)
def test_the_metric_is_the_gradient_of_the_rounded_norm(name, generator):
    norm = HEAD_NORMS[name].unsquared
    weights, step = make_matrix((6, 3), generator), 1e-5 * make_matrix((6, 3), generator)
    _, metric = norm.rounded(weights, 0.3)
    after, before = (norm.rounded(weights + sign * step, 0.3)[0] for sign in (0.5, -0.5))
    slope = float((step * (weights @ metric)).sum())
    assert float(after - before) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_unsquared_norms_equal_their_definitions(shape, generator):
    weights = make_matrix(shape, generator)
    for name, order in (("trace", "nuc"), ("frobenius", "fro")):
        norm = HEAD_NORMS[name].unsquared
        expected = np.linalg.norm(weights.numpy(), order)
        assert float(norm.rounded(weights, 0.0)[0]) == pytest.approx(expected, rel=1e-9)
        assert expected < float(norm.rounded(weights, 0.1)[0]) < expected + 0.1 * max(shape)


@pytest.mark.parametrize("name", SOLVED_NORMS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_dual_norm_bounds_the_inner_product_and_is_reached(name, shape, generator):
    norm = HEAD_NORMS[name].unsquared
    gradient = make_matrix(shape, generator)
    for _ in range(200):
        weights = make_matrix(shape, generator, rank=1)
        product = float((weights * gradient).sum())
        assert product <= norm.dual(gradient) * float(norm.rounded(weights, 0.0)[0]) * (1 + 1e-9)
    left, _, right = np.linalg.svd(gradient.numpy())
    best = {"trace": np.outer(left[:, 0], right[0]), "frobenius": gradient.numpy()}[name]
    size = float(norm.rounded(torch.from_numpy(best), 0.0)[0])
    assert norm.dual(gradient) == pytest.approx(float((best * gradient.numpy()).sum()) / size)


@pytest.mark.parametrize("name", SOLVED_NORMS)
def test_the_prox_of_the_penalty_leaves_what_is_optimal(name, generator):
    # For ½‖W - V‖² + μN(W), the solution W is also the proximal step of V with the penalty λ₁.
    norm, V, threshold = HEAD_NORMS[name].unsquared, make_matrix((6, 3), generator), 0.4
    shrunk = V * (1.0 - threshold / V.norm()) if name == "frobenius" else prox_trace_norm(V, 0.4)
    after = HEAD_NORMS[name].prox(V, norm.penalty(threshold, shrunk))
    torch.testing.assert_close(after, shrunk)


def test_prox_squared_frobenius_is_the_zero_of_its_derivative(generator):
    weights, threshold = make_matrix((6, 3), generator), 0.3
    shrunk = prox_squared_frobenius(weights, threshold)
    torch.testing.assert_close(
        shrunk - weights + 2.0 * threshold * shrunk, torch.zeros(6, 3).double()
    )


def test_the_feature_norm_is_per_sample(generator):
    features = make_matrix((8, 5), generator)
    expected = [sum(float(entry) ** 2 for entry in row) for row in features]
    np.testing.assert_allclose(squared_feature_norm(features), expected, rtol=1e-12)
