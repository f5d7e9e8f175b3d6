"""Exchangeable columns: which are found, and which are not."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from askl import find_symmetries
from askl.preprocessing.column_orders import complete_symmetries


def orbits(orders, n_features):
    """Sets of columns that the orders take to each other, larger than one."""
    sets = [{column} for column in range(n_features)]
    for order in orders:
        for place, taken in enumerate(order):
            if sets[place] is not sets[taken]:
                sets[place] |= sets[taken]
                for column in sets[taken]:
                    sets[column] = sets[place]
    return {frozenset(each) for each in sets if len(each) > 1}


def normal(n_rows, n_features, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def windows(n_rows, seed=0):
    """Three by three points of smooth random fields, coarser in one direction than in the other."""
    generator = np.random.default_rng(seed)
    place = np.stack(np.meshgrid(np.arange(3), np.arange(3), indexing="ij"), axis=-1).reshape(9, 2)
    frequencies = generator.normal(size=(n_rows, 30, 2)) * [0.4, 0.8]
    phases = generator.uniform(0, 2 * np.pi, size=(n_rows, 30, 1))
    fields = np.cos(np.einsum("nfk,pk->nfp", frequencies, place) + phases).sum(axis=1)
    return fields + generator.normal(size=(n_rows, 9)), fields[:, 4] > 0


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_exchangeable_columns_are_found_and_others_are_not(task):
    X = normal(3000, 5)
    signal = np.abs(X[:, 0] - X[:, 3]) + X[:, 1] - 0.3 * X[:, 2]
    y = signal if task == "regression" else np.where(signal > 1.0, "high", "low")
    assert find_symmetries(X, y) == find_symmetries(X, y, task=task) == [(3, 1, 2, 0, 4)]


def test_pairs_of_columns_are_exchanged_as_pairs():
    X = normal(3000, 4)
    found = complete_symmetries(find_symmetries(X, X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]), 4)
    pairs = [
        order
        for order in permutations(range(4))
        if {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 1}), frozenset({2, 3})}
    ]
    assert sorted(map(tuple, found.tolist())) == sorted(pairs)


def test_the_noise_of_friedman_and_its_product():
    X, y = make_friedman1(2000, 10, noise=1.0, random_state=0)
    assert orbits(find_symmetries(X, y), 10) == {frozenset({0, 1}), frozenset({5, 6, 7, 8, 9})}


def test_a_model_distinguishes_columns_whose_moments_are_the_same():
    X, y = make_friedman1(2000, 10, noise=1.0, random_state=0)
    assert frozenset({0, 1, 4}) in orbits(find_symmetries(X, y, most_lost=np.inf), 10)


def test_windows_of_a_picture_may_be_mirrored():
    X, y = windows(4000)
    grid = np.arange(9).reshape(3, 3)
    mirrored = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    found = complete_symmetries(find_symmetries(X, y), 9)
    assert {tuple(order) for order in found} == {tuple(each.ravel().tolist()) for each in mirrored}


def test_columns_of_one_hot_encoded_categories_are_exchanged_together():
    """A board of three by three fields of three colours; a row or a column of one colour wins."""
    board = np.random.default_rng(0).integers(0, 3, size=(4000, 3, 3))
    wins = ((board == 0).all(axis=1) | (board == 0).all(axis=2)).any(axis=1)
    wins |= (board == 0).sum(axis=(1, 2)) > 4
    X = np.eye(3)[board.reshape(4000, 9)].reshape(4000, 27)
    found = find_symmetries(X, wins)
    assert orbits(found, 27) >= {frozenset(range(0, 27, 3))}
    lines = {frozenset(range(3 * i, 3 * i + 3)) for i in range(3)}
    lines |= {frozenset(range(i, 9, 3)) for i in range(3)}
    for order in complete_symmetries(found, 27):
        places = [taken // 3 for taken in order[::3]]
        assert {frozenset(places[place] for place in line) for line in lines} == lines
        # All columns of a field are exchanged with those of the same field.
        assert all({order[3 * i + k] // 3 for k in range(3)} == {places[i]} for i in range(9))


def test_columns_that_are_nearly_equal_are_distinguished():
    """Moments of the three hardly differ, but one is the mean of the others."""
    own = normal(4000, 2)
    common = 10.0 * normal(4000, 1, seed=1)
    X = np.column_stack(
        [common + own, common.ravel() + own.mean(axis=1) + normal(4000, 1, 2)[:, 0]]
    )
    found = find_symmetries(X, X[:, 0] + X[:, 1] > 0)
    assert orbits(found, 3) == {frozenset({0, 1})}


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X * [1.0, 1.5, 1.0],  # another deviation
        lambda X: np.column_stack([X[:, 0], np.exp(X[:, 1]), X[:, 2]]),  # another shape
        lambda X: np.column_stack([X[:, 0], X[:, 1] + 0.5 * X[:, 2], X[:, 2]]),  # another relation
    ],
)
def test_columns_with_different_distributions_are_not_exchanged(change):
    X = normal(4000, 3)
    y = X[:, 0] + X[:, 1] - 3.0 * X[:, 2]
    assert find_symmetries(X, y) == [(1, 0, 2)]
    assert find_symmetries(change(X), y) == []


def test_several_targets_must_all_agree():
    X = normal(3000, 3)
    both = np.column_stack([X[:, 0] + X[:, 1], X[:, 2]])
    assert find_symmetries(X, both) == [(1, 0, 2)]
    assert find_symmetries(X, np.column_stack([both, X[:, 0]])) == []


def test_several_targets_have_the_same_weight_whatever_their_units():
    X = normal(3000, 4)
    both = np.column_stack([1e9 * (X[:, 0] + X[:, 1]), X[:, 0] * X[:, 2]])
    assert find_symmetries(X, both) == []
    assert find_symmetries(X, 1e9 * both[:, 0]) == [(1, 0, 2, 3), (0, 1, 3, 2)]


def test_for_constant_targets_the_rows_decide():
    X = normal(1000, 3) * [1.0, 1.0, 9.0]
    assert find_symmetries(X, np.ones(1000), task="regression") == [(1, 0, 2)]


def test_classes_with_few_rows_do_not_hide_a_symmetry():
    X = normal(3000, 3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    y[:3] = [7, 8, 9]
    assert find_symmetries(X, y) == [(1, 0, 2)]


def test_constant_rare_and_repeated_columns_are_not_exchanged():
    X = normal(2000, 2)
    rare = (normal(2000, 2, seed=1) > 2.5).astype(float)
    assert find_symmetries(np.hstack([X[:, [0, 0]], np.ones((2000, 2)), rare]), X[:, 0]) == []


def test_values_too_large_to_square_are_taken():
    X = normal(1000, 3) * 1e200
    assert find_symmetries(X, X[:, 0] > X[:, 2]) == []


@pytest.mark.parametrize("shape", [(400, 3), (1000, 1), (600, 210)])
def test_with_too_few_rows_or_too_many_columns_nothing_is_found(shape):
    X = normal(*shape)
    assert find_symmetries(X, X.sum(axis=1)) == []


def test_all_columns_of_a_sum_are_exchangeable():
    X = normal(3000, 30)
    assert orbits(find_symmetries(X, X.sum(axis=1) > 0), 30) == {frozenset(range(30))}


def test_the_search_gives_up_after_some_steps():
    X, y = windows(4000)
    assert find_symmetries(X, y, most_steps=1) == []


def test_the_global_generator_is_left_alone():
    X = normal(1000, 3)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert find_symmetries(X, X[:, 0] + X[:, 1]) == find_symmetries(X, X[:, 0] + X[:, 1])
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
