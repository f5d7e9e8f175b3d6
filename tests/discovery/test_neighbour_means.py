from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from askl.discovery.neighbour_means import (
    KnownPoints,
    cross_fitted_means,
    merge_rows,
    neighbour_means,
)


def naive_mean(point, known_points, targets, counts, n_neighbours):
    distances = np.sqrt(((known_points - point) ** 2).sum(axis=1))
    order = np.argsort(distances)[: n_neighbours + 1]
    reach = distances[order[-1]]
    total, weights = 0.0, 0.0
    for each in order:
        weight = counts[each] * (1.0 - distances[each] / reach)
        total, weights = total + weight * targets[each], weights + weight
    return total / weights


def test_means_equal_a_naive_loop():
    random = np.random.default_rng(0)
    known_points, targets = random.normal(size=(50, 2)), random.normal(size=(50, 3))
    counts = random.integers(1, 4, size=50)
    points = random.normal(size=(20, 2))
    means = neighbour_means(points, KnownPoints(known_points, targets, counts), 6)
    expected = [naive_mean(point, known_points, targets, counts, 6) for point in points]
    np.testing.assert_allclose(means, expected, rtol=1e-6)


def test_means_of_one_value_are_that_value():
    random = np.random.default_rng(0)
    known_points, counts = random.normal(size=(50, 2)), random.integers(1, 4, size=50)
    known = KnownPoints(known_points, np.full((50, 1), 0.1), counts)
    means = neighbour_means(random.normal(size=(200, 2)), known, n_neighbours=6)
    assert len(np.unique(means)) == 1


def test_rows_at_one_point_are_one_neighbour_with_their_mean():
    points = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0]])
    known = merge_rows(points, np.array([[1.0], [5.0], [3.0], [7.0]]))
    merged = {tuple(point): (mean[0], n_rows) for point, mean, n_rows in zip(*known, strict=True)}
    assert merged == {(1.0, 0.0): (2.0, 2), (0.0, 2.0): (5.0, 1), (0.0, 1.0): (7.0, 1)}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_any_ties_give_a_mean_of_the_targets_whatever_the_order_of_rows(cells):
    points = np.array(cells, dtype=np.float32)
    targets = np.arange(len(points), dtype=np.float64)[:, None]
    queries = np.array([[0.0, 0.0], [1.5, 1.5], [9.0, -1.0]], dtype=np.float32)
    means = neighbour_means(queries, merge_rows(points, targets), n_neighbours=40)
    assert np.all((means >= targets.min()) & (means <= targets.max()))
    reversed_rows = merge_rows(points[::-1], targets[::-1])
    np.testing.assert_allclose(neighbour_means(queries, reversed_rows, n_neighbours=40), means)


def test_the_mean_is_continuous_where_neighbours_change():
    random = np.random.default_rng(0)
    known = merge_rows(random.uniform(size=(300, 2)), random.normal(size=(300, 1)))
    line = np.stack([np.linspace(0.0, 1.0, 20001), np.full(20001, 0.5)], axis=1)
    means = neighbour_means(line, known, n_neighbours=5)
    assert np.abs(np.diff(means[:, 0])).max() < 0.02


def test_cross_fitted_means_are_those_of_the_other_folds(rng):
    points, targets = rng.normal(size=(40, 2)), rng.normal(size=(40, 3))
    folds = KFold(4, shuffle=True, random_state=0)
    means = cross_fitted_means(points, targets, folds, n_neighbours=5)
    changed = targets.copy()
    changed[7] += 1e6
    after = cross_fitted_means(points, changed, folds, n_neighbours=5)
    np.testing.assert_array_equal(after[7], means[7])
    fold = next(rows for _, rows in folds.split(points) if 7 in rows)
    np.testing.assert_array_equal(after[fold], means[fold])
    assert np.abs(after - means).max() > 1e3  # rows of other folds have it as a neighbour
    others = np.setdiff1d(np.arange(40), fold)
    known = merge_rows(points[others], targets[others])
    np.testing.assert_array_equal(means[fold], neighbour_means(points[fold], known, 5))
