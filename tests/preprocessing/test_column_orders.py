from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from askl.preprocessing.column_orders import (
    MOST_ORDERS,
    complete_symmetries,
    interleave_columns,
    pool_columns,
)


@pytest.mark.parametrize("generators", [[(1, 0, 2, 3), (1, 2, 3, 0)], list(permutations(range(4)))])
def test_composition_makes_the_whole_group(generators):
    found = complete_symmetries(generators, 4)
    assert found[0].tolist() == [0, 1, 2, 3]
    assert sorted(map(tuple, found.tolist())) == sorted(permutations(range(4)))


def test_of_a_large_group_some_orders_are_drawn_evenly():
    swaps = [tuple(np.r_[j, 1:j, 0, j + 1 : 12].tolist()) for j in range(1, 12)]
    found = complete_symmetries(swaps, 12)
    assert found.shape == (MOST_ORDERS, 12)
    assert found[0].tolist() == list(range(12))
    assert (np.sort(found, axis=1) == np.arange(12)).all()
    assert len(np.unique(found, axis=0)) == MOST_ORDERS
    # Each column comes to each place about as often.
    counts = np.stack([np.bincount(place, minlength=12) for place in found[1:].T])
    assert counts.max() < 3 * counts.mean()
    np.testing.assert_array_equal(found, complete_symmetries(swaps, 12))


def test_pooled_columns_have_values_of_all_and_of_their_own_row():
    X = np.arange(40.0).reshape(10, 4)
    pooled = pool_columns(X, complete_symmetries([(1, 2, 0, 3)], 4))
    np.testing.assert_array_equal(pooled[:, 3], X[:, 3])
    for column in (0, 1, 2):
        np.testing.assert_array_equal(pooled[:, column], X[np.arange(10), np.arange(10) % 3])


def test_a_sparse_matrix_cannot_be_pooled():
    with pytest.raises(ValueError, match=r"needs a dense X\. .*Give X\.toarray"):
        pool_columns(csr_matrix(np.eye(3)), np.array([[0, 1, 2]]))


def test_columns_take_turns():
    X = np.arange(12.0).reshape(4, 3)
    assert interleave_columns(X, np.array([2, 0])).tolist() == [2.0, 3.0, 8.0, 9.0]
