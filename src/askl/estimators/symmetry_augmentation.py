"""Training rows with their columns permuted at random, where targets do not depend on the order."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from askl._typing import Array
from askl.learning import Batch, Source
from askl.learning.sources import DerivedSource
from askl.preprocessing.input_scaling import Scaling

# In so many orders, at most, rows count where all of them are passed over once.
ORDERS_OF_ALL = 4


def scaled_orders(orders: Array, scaling: Scaling) -> Tensor:
    """Turn orders of the inputs into those of their scaled columns.

    Examples
    --------
    >>> import numpy as np
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


class PermutedRows(DerivedSource):
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
