"""Splits and folds: pure functions of their number, the same on every machine."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


class Split(NamedTuple):
    """Rows to train on and rows to test on."""

    train: Index
    test: Index


def split(n_samples: int, number: int) -> Split:
    """Return split ``number`` of a data set: a permutation's first 80 % train, the rest test.

    Examples
    --------
    >>> split(5, 0).test
    array([1])
    """
    order = np.random.default_rng(number).permutation(n_samples)
    return Split(*np.split(order, [4 * n_samples // 5]))


def folds(index: NDArray[Any], n_folds: int) -> list[Split]:
    """Divide rows into folds of consecutive ones; each is once the test part.

    Examples
    --------
    >>> [part.test.tolist() for part in folds(np.array([7, 8, 9]), 3)]
    [[7], [8], [9]]
    """
    parts = np.array_split(index, n_folds)
    return [
        Split(np.concatenate([*parts[:number], *parts[number + 1 :]]), parts[number])
        for number in range(n_folds)
    ]
