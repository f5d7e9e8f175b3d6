from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from askl.discovery.distributions import (
    ecdf_distance,
    group_columns,
    has_two_values,
    is_varied,
    largest_difference,
)


def test_the_distance_is_that_of_kolmogorov_and_smirnov(rng):
    X = np.column_stack([rng.normal(size=150), rng.uniform(size=150), rng.integers(3, size=150)])
    found = ecdf_distance(X)
    for i in range(3):
        for j in range(3):
            assert found[i, j] == pytest.approx(ks_2samp(X[:, i], X[:, j]).statistic)


def test_of_many_rows_the_distance_is_nearly_that(rng):
    X = np.column_stack([rng.normal(size=9000), 0.3 + rng.normal(size=9000)])
    assert ecdf_distance(X)[0, 1] == pytest.approx(ks_2samp(*X.T).statistic, abs=0.006)


@pytest.mark.parametrize(("n_others", "expected"), [(4, False), (5, True), (50, True)])
def test_a_varied_column_has_one_value_in_less_than_all_but_a_twentieth(n_others, expected, rng):
    column = np.zeros(100)
    column[:n_others] = np.arange(1, n_others + 1)
    assert is_varied(rng.permutation(column)[:, None]).tolist() == [expected]


def test_two_values_or_one():
    X = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 2.0], [1.0, 1.0, 3.0]])
    assert has_two_values(X).tolist() == [True, True, False]


def test_groups_are_similar_varied_columns_of_more_than_two_values(rng):
    normal, skewed = rng.normal(size=(800, 4)), rng.exponential(size=(800, 3))
    flat, flags = np.ones((800, 3)), rng.integers(2, size=(800, 3)).astype(float)
    X = np.hstack([normal[:, :2], skewed, flat, flags, normal[:, 2:]])
    assert group_columns(X, 3) == [(0, 1, 11, 12), (2, 3, 4)]
    assert group_columns(X, 4) == [(0, 1, 11, 12)]
    assert group_columns(X[:99], 3) == []
    assert group_columns(np.tile(X, 16), 3) == []


def test_by_chance_distributions_differ_less_than_what_is_allowed():
    random = np.random.default_rng(0)
    for n_rows in (100, 10_000):
        distance = ecdf_distance(random.normal(size=(n_rows, 40))).max()
        assert distance < largest_difference(n_rows) < 0.05 + 6.0 * distance
