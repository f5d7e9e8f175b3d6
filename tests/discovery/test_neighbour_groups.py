from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold

from askl.discovery.neighbour_groups import (
    LEAST_VALUES,
    MOST_COLUMNS,
    Chosen,
    Explained,
    choose_groups,
    explain_by_neighbours,
)

NOTHING = np.zeros((30, 1))


def explainer(shares):
    """Explain by a table; the residuals are the number of groups taken before."""

    def explain(group, residuals):
        share = shares.get(group, 0.0)
        return Explained(share[int(residuals[0, 0])] if isinstance(share, list) else share, after)

    after = NOTHING + 1.0
    return explain


def choose(shares, *, n_columns=4, max_groups=9, least_share=0.1):
    points = np.arange(30.0)[:, None] + np.zeros(n_columns)
    return choose_groups(
        points, NOTHING, explainer(shares), max_groups=max_groups, least_share=least_share
    )


def test_the_best_column_comes_first_and_then_the_best_of_what_remains():
    shares = {(0,): [0.3, 0.05], (1,): [0.2, 0.15], (2,): [0.12, 0.2]}
    assert choose(shares) == [Chosen((0,), 0.3), Chosen((2,), 0.2), Chosen((1,), 0.15)]
    assert choose(shares, max_groups=1) == [Chosen((0,), 0.3)]
    assert choose(shares, max_groups=0) == []


def test_a_column_that_explains_too_little_is_not_tried_again():
    assert choose({(0,): [0.3, 0.0], (1,): [0.09, 0.5]}) == [Chosen((0,), 0.3)]


def test_a_pair_must_explain_more_than_either_of_its_columns():
    shares = {(1,): 0.08, (2,): 0.05, (1, 2): 0.17, (0, 3): 0.11}
    assert choose(shares) == [Chosen((0, 3), 0.11)]
    [first, second] = choose({**shares, (1, 2): 0.2})
    assert (first.group, second.group) == ((1, 2), (0, 3))
    assert first.share == pytest.approx(0.12)


def test_columns_of_few_values_are_left_out():
    points = np.column_stack([np.arange(30.0) % (LEAST_VALUES - 1), np.arange(30.0) % LEAST_VALUES])
    everything = explainer({(0,): 0.9, (1,): 0.8, (0, 1): 0.9})
    chosen = choose_groups(points, NOTHING, everything, max_groups=9, least_share=0.1)
    assert [group for group, _ in chosen] == [(1,)]


def test_pairs_are_made_from_the_best_columns():
    shares = {(j,): 0.001 * j for j in range(15)} | {(0, 1): 0.9, (13, 14): 0.5}
    assert [group for group, _ in choose(shares, n_columns=15)] == [(13, 14)]
    assert MOST_COLUMNS == 10


def test_neighbours_explain_the_share_of_a_regression_on_their_means(rng):
    points = rng.uniform(size=(400, 1))
    residuals = np.sign(np.sin(60.0 * points)) + 0.3 * rng.normal(size=(400, 1))
    found = explain_by_neighbours(points, residuals, KFold(5), n_neighbours=3)
    variance = (residuals**2).sum()
    assert found.share == pytest.approx(1.0 - (found.residuals**2).sum() / variance)
    assert 0.5 < found.share < 1.0
    noise = explain_by_neighbours(points, rng.normal(size=(400, 1)), KFold(5), n_neighbours=3)
    assert abs(noise.share) < 0.05


def test_neighbours_that_differ_explain_nothing():
    points, residuals = np.arange(40.0)[:, None], np.tile([[1.0], [-1.0]], (20, 1))
    found = explain_by_neighbours(points, residuals, KFold(40), n_neighbours=1)
    assert found.share == 0.0
    np.testing.assert_array_equal(found.residuals, residuals)
    assert explain_by_neighbours(points, 0.0 * residuals, KFold(5), 3).share == 0.0
