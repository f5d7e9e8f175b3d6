from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from askl.preprocessing.input_scaling import SCALINGS, count_scaled, fit_scaling

LEARNED = [kind for kind in SCALINGS if kind != "none"]
numbers_of_any_size = st.floats(allow_nan=False, allow_infinity=False)
columns = arrays.arrays(np.float64, st.integers(1, 12), elements=numbers_of_any_size)


@pytest.mark.parametrize("kind", LEARNED)
@given(columns, columns)
def test_any_finite_column_is_scaled_to_finite_numbers(kind, column, others):
    fitted = fit_scaling(column[:, None], kind)
    for values in (column, others):
        scaled = fitted.apply(values[:, None])
        assert scaled.dtype == np.float32
        assert np.isfinite(scaled).all()


@pytest.mark.parametrize("kind", LEARNED)
@given(columns)
@example(np.array([1e308] + [-9.98e307] * 9))  # differences are beyond the largest number
def test_scaling_keeps_the_order(kind, column):
    scaled = fit_scaling(column[:, None], kind).apply(np.sort(column)[:, None])
    # Up to single precision: a smooth clip near its limit rounds either way.
    assert (np.diff(scaled, axis=0) >= -1e-6).all()


def test_no_scaling_is_a_copy_in_single_precision(rng):
    X = rng.normal(size=(20, 3))
    np.testing.assert_array_equal(fit_scaling(X, "none").apply(X), X.astype(np.float32))


@pytest.mark.parametrize("kind", LEARNED)
@pytest.mark.parametrize("value", [0.0, 1.0, -1e-30, 1e15])
def test_a_constant_column_is_scaled_to_zero(kind, value):
    X = np.full((50, 1), value)
    np.testing.assert_allclose(fit_scaling(X, kind).apply(X), 0.0, atol=1e-6)


@pytest.mark.parametrize("kind", LEARNED)
def test_a_huge_offset_costs_no_digits(kind, rng):
    X = rng.integers(0, 1000, size=(300, 1)).astype(float)
    plain = fit_scaling(X, kind).apply(X)
    shifted = fit_scaling(X + 1e12, kind).apply(X + 1e12)
    np.testing.assert_allclose(shifted, plain, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", ["robust", "standard", "robust+direction"])
def test_weights_are_repetition_in_every_scaling(kind, rng):
    X, weights = rng.normal(size=(30, 2)), rng.integers(1, 4, size=30)
    weighted = fit_scaling(X, kind, weights.astype(float)).apply(X)
    repeated = fit_scaling(np.repeat(X, weights, axis=0), kind).apply(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", SCALINGS)
@pytest.mark.parametrize("columns_at_a_time", [1, 2, 5])
def test_sparse_and_dense_inputs_are_scaled_in_the_same_way(kind, columns_at_a_time, rng):
    dense = rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.3)
    expected = fit_scaling(dense, kind)
    for X in (dense, sparse.csr_matrix(dense), sparse.csr_array(dense)):
        fitted = fit_scaling(X, kind, block_numbers=40 * columns_at_a_time)
        assert fitted.arrays.keys() == expected.arrays.keys()
        for key, array in fitted.arrays.items():
            np.testing.assert_allclose(array, expected.arrays[key], rtol=1e-12)
        np.testing.assert_allclose(fitted.apply(X), expected.apply(dense), rtol=1e-6)


def test_scaled_columns_are_counted_before_they_are_made(rng):
    X = np.column_stack([rng.normal(size=100), rng.integers(2, size=100), np.zeros(100)])
    for kind in SCALINGS:
        assert count_scaled(X, kind) == fit_scaling(X, kind).apply(X).shape[1]
