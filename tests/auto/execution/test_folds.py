"""Folds: who is held out, how often, and of which rows there are none."""

from __future__ import annotations

import numpy as np
import pytest

from askl.auto.execution.folds import make_folds
from tests.auto.cases import SETTINGS


def folds_of(targets, n_classes=0, settings=SETTINGS, seed=0):
    return make_folds(np.asarray(targets), n_classes, seed, settings)


def test_held_out_rows_are_never_trained_on_and_classes_are_alike():
    targets = np.repeat([0, 1, 2], [50, 30, 20])
    folds = folds_of(targets, 3)
    assert [fold.number for fold in folds] == list(range(5))
    for fold in folds:
        assert sorted([*fold.train, *fold.held_out]) == list(range(100))
        assert np.bincount(targets[fold.held_out]).tolist() == [10, 6, 4]
    held_out = np.concatenate([fold.held_out for fold in folds])
    assert sorted(held_out) == list(range(100))


@pytest.mark.parametrize(("n_rows", "n_folds"), [(8000, 5), (8001, 4), (20_000, 2), (90_000, 1)])
def test_there_are_fewer_folds_of_many_rows(n_rows, n_folds):
    assert len(folds_of(np.zeros(n_rows))) == n_folds


def test_the_rows_are_in_random_order_that_the_seed_decides():
    first, again, other = (folds_of(np.zeros(100), seed=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.train, again.train)
    assert (first.train != other.train).any()
    assert (np.diff(first.train) < 0).any()
    some = first.first_rows(10)
    np.testing.assert_array_equal(some.train, first.train[:10])
    np.testing.assert_array_equal(some.held_out, first.held_out)


def test_of_few_rows_none_are_held_out():
    assert folds_of(np.zeros(49)) == []
    assert len(folds_of(np.zeros(50))) == 5
    assert len(folds_of(np.zeros(49), settings=SETTINGS._replace(least_rows_to_hold_out=49))) == 5


def test_of_small_classes_only_none_are_held_out():
    assert folds_of(np.arange(60) // 4, 15) == []
    rare = np.repeat([0, 1], [58, 2])  # of fewer rows than folds, but not the largest class
    assert len(folds_of(rare, 2)) == 5
