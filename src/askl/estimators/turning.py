"""Training rows in other orders of their columns, on which their targets do not depend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor

from askl.estimators.scaling import Array, Scaling
from askl.learning import Batch, Source
from askl.learning.batches import ChangedRows

# Of larger groups some orders are drawn.
MOST_ORDERS = 64
# In so many orders, at most, rows count where all of them are passed over once.
ORDERS_OF_ALL = 4


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
        pooled[:, column] = mix_columns(X, np.unique(orders[:, column]))
    return pooled


def mix_columns(X: Array, columns: Array) -> Array:
    """Take a row's value of one of some columns, each column for as many rows.

    Examples
    --------
    >>> mix_columns(np.array([[1, 10], [2, 20], [3, 30]]), np.array([0, 1]))
    array([ 1, 20,  3])
    """
    mixed: Array = X[np.arange(len(X)), np.resize(columns, len(X))]
    return mixed


def scaled_orders(orders: Array, scaling: Scaling) -> Tensor:
    """Turn orders of the inputs into those of their scaled columns.

    Examples
    --------
    >>> scaled_orders(np.array([[1, 0]]), Scaling("robust+quantile", {}))
    tensor([[1, 0, 3, 2]])
    """
    sources = scaling.sources(orders.shape[1])
    copies: dict[int, list[int]] = {}
    for position, source in enumerate(sources.tolist()):
        copies.setdefault(source, []).append(position)
    ranks = [copies[source].index(position) for position, source in enumerate(sources.tolist())]
    turned = [
        [copies[taken][rank] for taken, rank in zip(order[sources].tolist(), ranks, strict=True)]
        for order in orders
    ]
    return torch.tensor(turned)


class TurnedRows(ChangedRows):
    """A source of rows that are in an order of their own, drawn anew, whenever training sees them.

    Parameters
    ----------
    source : Source
    orders : Tensor of int of shape (n_orders, width)
        The first is that of the columns as they are.
    """

    def __init__(self, source: Source, orders: Tensor) -> None:
        super().__init__(source)
        self.orders = orders

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return the batches of an epoch, each row in an order drawn at random."""
        seed = int(torch.randint(2**62, (), generator=generator))
        batches = self.source.epoch(batch_size, generator, skip=skip)
        return (self._draw(batch, seed + skip + at) for at, batch in enumerate(batches))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in each of some orders, of which each counts for its share."""
        orders = self.orders[:ORDERS_OF_ALL]
        for batch in self.source.blocks(n_rows):
            weights = batch.sample_weights
            if weights is None:
                weights = batch.inputs.new_ones(len(batch.inputs))
            for order in orders:
                inputs = batch.inputs[:, order]
                yield Batch(inputs, batch.targets, weights / len(orders))

    def _draw(self, batch: Batch, seed: int) -> Batch:
        # Of a seed for each batch, so that those skipped need not be drawn.
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randint(len(self.orders), (len(batch.inputs),), generator=generator)
        return batch._replace(inputs=batch.inputs.gather(1, self.orders[drawn]))
