"""Orders of columns on which targets do not depend: their compositions, and pooled columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array

# Of larger groups some orders are drawn.
MOST_ORDERS = 64


def complete_symmetries(symmetries: Any, n_features: int, seed: int = 0) -> Array:
    """Compose orders of columns with each other until there are no more, or enough.

    Parameters
    ----------
    symmetries : sequence of sequence of int
    n_features : int
    seed : int
        Decides which are drawn where there are very many.

    Returns
    -------
    ndarray of int of shape (n_orders, n_features)
        The first is that of the columns as they are.

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
    """Walk at random through a group of very many orders."""
    random = np.random.default_rng(seed)
    orders = np.tile(np.arange(n_features), (MOST_ORDERS, 1))
    for order in orders[1:]:
        for _ in range(4 * len(generators)):
            order[:] = order[generators[random.integers(len(generators))]]
    return orders


def pool_columns(X: Any, orders: Array) -> Array:
    """Mix the values of columns that may change places, so that they are scaled alike.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    orders : ndarray of int of shape (n_orders, n_features)
        Of :func:`complete_symmetries`.

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
    """Take a row's value of one of some columns, each column for as many rows.

    Examples
    --------
    >>> interleave_columns(np.array([[1, 10], [2, 20], [3, 30]]), np.array([0, 1]))
    array([ 1, 20,  3])
    """
    mixed: Array = X[np.arange(len(X)), np.resize(columns, len(X))]
    return mixed
