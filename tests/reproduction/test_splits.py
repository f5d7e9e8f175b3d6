"""Splits are pure functions of their number."""

from __future__ import annotations

import numpy as np

from reproduction.splits import folds, split


def test_a_split_is_the_permutation_of_its_number() -> None:
    train, test = split(1003, 7)
    order = np.random.default_rng(7).permutation(1003)
    assert len(train) == 802
    np.testing.assert_array_equal(np.concatenate([train, test]), order)


def test_a_split_touches_no_global_state_and_repeats() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = split(100, 3), split(100, 3)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.testing.assert_array_equal(first.train, second.train)
    assert not np.array_equal(first.train, split(100, 4).train)


def test_folds_cover_all_rows_once() -> None:
    index = split(103, 0).train
    parts = folds(index, 5)
    np.testing.assert_array_equal(np.concatenate([part.test for part in parts]), index)
    for part in parts:
        assert set(part.train) | set(part.test) == set(index)
        assert not set(part.train) & set(part.test)
