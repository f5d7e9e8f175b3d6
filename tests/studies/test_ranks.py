"""Ranks, against scipy and the values printed by Demsar (2006)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import rankdata

from studies.ranks import (
    critical_difference,
    groups_alike,
    mean_and_deviation,
    rank_values,
    tie_groups,
)


def test_ranks_are_those_of_scipy() -> None:
    values = np.random.default_rng(0).normal(size=20)
    np.testing.assert_array_equal(rank_values(values, lower=True), rankdata(values))
    np.testing.assert_array_equal(rank_values(values, lower=False), rankdata(-values))


def test_one_rounding_error_is_a_tie() -> None:
    larger = math.nextafter(99.89, math.inf)
    for values in ([99.89, larger, 98.0], [larger, 99.89, 98.0]):
        assert rank_values(values, lower=False).tolist() == [1.5, 1.5, 3.0]
        assert rank_values(values, lower=True).tolist() == [2.5, 2.5, 1.0]


def test_means_of_the_same_figures_in_another_order_are_a_tie() -> None:
    figures = 100.0 * np.random.default_rng(0).integers(9000, 11600, 30) / 11600
    means = [np.mean(np.random.default_rng(seed).permutation(figures)) for seed in range(50)]
    assert len(set(means)) > 1
    assert set(tie_groups(means)) == {0}


def test_one_row_of_the_largest_data_set_is_no_tie() -> None:
    assert rank_values([98.0, 98.0 + 100.0 / (30 * 14000)], lower=False).tolist() == [2.0, 1.0]


def test_those_without_a_result_are_last_together() -> None:
    ranks = rank_values([math.inf, 1.0, math.inf, 0.5], lower=True)
    assert ranks.tolist() == [3.5, 2.0, 3.5, 1.0]
    ranks = rank_values([-math.inf, 1.0, -math.inf, 0.5], lower=False)
    assert ranks.tolist() == [3.5, 1.0, 3.5, 2.0]


@pytest.mark.parametrize(
    ("n_methods", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)]
)
def test_critical_difference_has_the_quantiles_of_demsar(n_methods: int, quantile: float) -> None:
    expected = quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert critical_difference(n_methods, 14) == pytest.approx(expected, abs=1e-3)
    assert math.isnan(critical_difference(n_methods, 0))


def test_bars_join_what_cannot_be_told_apart() -> None:
    assert groups_alike([1.0, 1.5, 3.0, 3.4, 6.0], 2.0) == [(0, 2), (1, 3)]
    assert groups_alike([1.0, 2.0, 2.5, 4.0, 5.0], 1.6) == [(0, 2), (2, 3), (3, 4)]
    assert groups_alike([1.0, 5.0], 2.0) == []


def test_the_deviation_is_that_of_a_sample() -> None:
    assert mean_and_deviation([1.0, 3.0]) == (2.0, pytest.approx(math.sqrt(2.0)))
    assert mean_and_deviation([7.0]) == (7.0, 0.0)
