"""Orders of columns that leave the targets unchanged: compositions of them, and pooled columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array

# For every column the position that it is taken from.
Order: TypeAlias = tuple[int, ...]

# Larger groups of orders are represented by this many random ones.
MOST_ORDERS = 64


def complete_symmetries(
    symmetries: Sequence[Sequence[int]],
    n_features: int,
    seed: int = 0,
) -> Array:
    """Return the group that some orders of columns generate, by composing them.

    Parameters
    ----------
    symmetries : sequence of sequence of int
    n_features : int
    seed : int
        Decides which orders are drawn from a group that is too large.

    Returns
    -------
    ndarray of int of shape (n_orders, n_features)
        The first order leaves all columns in their places.

    Examples
    --------
    >>> complete_symmetries([(1, 2, 0)], 3)
    array([[0, 1, 2],
           [1, 2, 0],
           [2, 0, 1]])
    """
    generators = [np.asarray(order, dtype=np.int64) for order in symmetries]
    for order in generators:
        if order.shape != (n_features,) or (np.sort(order) != np.arange(n_features)).any():
            raise ValueError(
                "The 'symmetries' parameter must hold orders of all columns, with every number "
                f"from 0 to {n_features - 1} once in each. Got {tuple(order.tolist())} instead."
            )
    identity = tuple(range(n_features))
    known = dict.fromkeys([identity])
    for known_order in (queue := [identity]):
        for generator in generators:
            product = tuple(np.asarray(known_order)[generator].tolist())
            if product not in known:
                known[product] = None
                queue.append(product)
        if len(known) > MOST_ORDERS:
            return _draw_orders(generators, n_features, seed)
    return np.array(list(known))


def _draw_orders(generators: list[Array], n_features: int, seed: int) -> Array:
    """Draw orders from a large group by random walks."""
    random = np.random.default_rng(seed)
    orders = np.tile(np.arange(n_features), (MOST_ORDERS, 1))
    for order in orders[1:]:
        for _ in range(4 * len(generators)):
            order[:] = order[generators[random.integers(len(generators))]]
    return orders


def pool_columns(X: Any, orders: Array) -> Array:
    """Give exchangeable columns the same values, so that all of them are scaled in the same way.

    Each gets values of all columns it can be exchanged with, in turn.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    orders : ndarray of int of shape (n_orders, n_features)
        From :func:`complete_symmetries`.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> X = np.array([[1, 10, 5], [2, 20, 6], [3, 30, 7]])
    >>> pool_columns(X, np.array([[0, 1, 2], [1, 0, 2]]))
    array([[ 1,  1,  5],
           [20, 20,  6],
           [ 3,  3,  7]])
    """
    if issparse(X):
        raise ValueError(
            "The 'symmetries' parameter needs a dense X. Got a sparse matrix instead. "
            "Give X.toarray(), or symmetries=None."
        )
    pooled = np.array(X)
    for column in range(X.shape[1]):
        pooled[:, column] = interleave_columns(X, np.unique(orders[:, column]))
    return pooled


def interleave_columns(X: Array, columns: Array) -> Array:
    """Return one column with values of several columns in turn: row i from the i-th, cyclically.

    Examples
    --------
    >>> interleave_columns(np.array([[1, 10], [2, 20], [3, 30]]), np.array([0, 1]))
    array([ 1, 20,  3])
    """
    interleaved: Array = X[np.arange(len(X)), np.resize(columns, len(X))]
    return interleaved
