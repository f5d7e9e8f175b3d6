from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from askl.discovery.column_relations import compare_columns, distances, standardize


def ring(n_rows=20_000):
    """Four columns, each of which is correlated with two of the others: neighbours in a ring."""
    shared, own = np.random.default_rng(0).normal(size=(2, n_rows, 4))
    return shared + np.roll(shared, 1, axis=1) + own


def everything(X):
    return np.ones((len(X), 1))


def test_distances_equal_a_naive_loop(rng):
    left, right = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    for i, j in np.ndindex(3, 2):
        expected = np.sqrt(sum((left[:, i] - right[:, j]) ** 2))
        assert distances(left, right)[i, j] == pytest.approx(expected)


def test_standardized_columns_have_mean_zero_and_deviation_one(rng):
    unit = standardize(5.0 + 3.0 * rng.normal(size=(100, 2)))
    np.testing.assert_allclose(unit.mean(axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(unit.std(axis=0), 1.0, atol=1e-6)


def test_the_orders_that_keep_the_relations_of_a_ring_are_its_symmetries():
    X = ring()
    relations = compare_columns(X, everything(X))
    assert relations.similar.all()
    kept = [order for order in permutations(range(4)) if relations.are_kept_by(np.array(order))]
    steps = [np.diff(order, append=order[0]) % 4 for order in kept]
    assert len(kept) == 8
    assert all(step.tolist() in ([1] * 4, [3] * 4) for step in steps)


def test_to_move_a_column_restricts_where_the_others_may_stand():
    X = ring()
    relations = compare_columns(X, everything(X))
    possible = relations.restrict(relations.similar, 0, 1)
    assert possible[0].tolist() == [False, True, False, False]
    assert not possible[1:, 1].any()
    # Opposite position 0 is position 2, and opposite column 1 is column 3.
    assert possible[2].tolist() == [False, False, False, True]
    assert possible[1].tolist() == possible[3].tolist() == [True, False, True, False]
    assert relations.similar.all(), "the argument is not changed"


def test_columns_are_compared_within_each_part_of_the_rows(rng):
    X, y = rng.normal(size=(20_000, 3)), rng.integers(2, size=20_000)
    X[:, 0] *= np.where(y, 1.5, 0.5)
    X[:, 1] *= np.where(y, 0.5, 1.5)
    parts = np.eye(2)[y]
    assert compare_columns(X, everything(X)).similar[0, 1]
    assert not compare_columns(X, parts).similar[0, 1]
    X[:, 1] = rng.permutation(X[:, 0])
    X[:, 1] = rng.normal(size=20_000) * np.where(y, 1.5, 0.5)
    assert compare_columns(X, parts).similar[0, 1]


def test_constant_columns_and_combinations_of_others_stay(rng):
    X = rng.normal(size=(2000, 5))
    X[:, 2], X[:, 3] = 1.0, (X[:, 0] + X[:, 1]) / np.sqrt(2.0)
    similar = compare_columns(X, everything(X)).similar
    expected = np.eye(5, dtype=bool)
    np.testing.assert_array_equal(similar & ~expected, np.zeros((5, 5), dtype=bool))
