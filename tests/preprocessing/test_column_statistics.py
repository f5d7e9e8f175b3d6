from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askl.preprocessing.column_statistics import (
    divisors,
    is_constant,
    mean_and_divisor,
    weighted_quantiles,
)
from tests import naive

LEVELS = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
weighted_columns = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.integers(1, 5)), min_size=1, max_size=15
)


@given(weighted_columns)
def test_weighted_quantiles_are_repetition(pairs):
    column, weights = (np.array(part) for part in zip(*pairs, strict=True))
    weighted = weighted_quantiles(column, weights.astype(float), LEVELS)
    repeated = weighted_quantiles(np.repeat(column, weights), None, LEVELS)
    np.testing.assert_array_equal(weighted, repeated)
    expected = [naive.quantile(column.tolist(), weights.tolist(), level) for level in LEVELS]
    np.testing.assert_array_equal(weighted, expected)


def test_unweighted_quantiles_are_numpy_s(rng):
    column = rng.normal(size=101)
    expected = np.quantile(column, LEVELS, method="inverted_cdf")
    np.testing.assert_array_equal(weighted_quantiles(column, None, LEVELS), expected)


@pytest.mark.parametrize("value", [0.1, -1e6 / 3.0, 1e-100, 0.0])
def test_what_rounding_leaves_of_a_constant_column_is_constant(value):
    column = np.full(99_999, value)
    assert is_constant(column.std(), column.mean())
    assert divisors(column.std(), column.mean()) == 1.0


def test_the_rounding_of_a_running_mean_is_constant():
    assert 0.1 + 0.2 - 0.3 != 0.0
    assert is_constant(np.array([0.1 + 0.2 - 0.3]), np.array([0.3])).all()


def test_small_but_real_deviations_are_kept():
    deviations, means = np.array([1e-11, 0.0, 1e-300, 5.0]), np.array([-1.0, 0.0, 0.0, 1e12])
    assert is_constant(deviations, means).tolist() == [False, True, False, False]
    assert divisors(deviations, means).tolist() == [1e-11, 1.0, 1e-300, 5.0]


@pytest.mark.parametrize("factor", [1.0, 1e-300, 1e300])
def test_means_and_deviations_of_numbers_of_any_size(factor, rng):
    X, weights = rng.normal(size=(50, 2)) + 3.0, rng.uniform(size=50)
    mean, deviation = mean_and_divisor(factor * X, weights)
    expected = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(mean / factor, expected, rtol=1e-12)
    variance = np.average((X - expected) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(deviation / factor, np.sqrt(variance), rtol=1e-12)
