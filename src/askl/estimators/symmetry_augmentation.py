"""Symmetry augmentation: training rows with their exchangeable columns in random orders."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from askl._typing import Array
from askl.learning import Batch, Source
from askl.learning.sources import DerivedSource
from askl.preprocessing.input_scaling import Scaling

# A single pass over all rows, as for solving the head, has each row in at most this many orders.
ORDERS_IN_ONE_PASS = 4


def scaled_orders(orders: Array, scaling: Scaling) -> Tensor:
    """Return the orders of the scaled columns that belong to orders of the inputs.

    Examples
    --------
    >>> import numpy as np
    >>> scaled_orders(np.array([[1, 0]]), Scaling("robust+quantile", {}))
    tensor([[1, 0, 3, 2]])
    """
    sources = scaling.sources(orders.shape[1]).tolist()
    columns_of: dict[int, list[int]] = {}
    for column, source in enumerate(sources):
        columns_of.setdefault(source, []).append(column)
    ranks = [columns_of[source].index(column) for column, source in enumerate(sources)]
    return torch.tensor(
        [
            [columns_of[order[source]][rank] for source, rank in zip(sources, ranks, strict=True)]
            for order in orders.tolist()
        ]
    )


class PermutedRows(DerivedSource):
    """A source whose rows have their columns in a random order, drawn in every epoch.

    Parameters
    ----------
    source : Source
    orders : Tensor of int of shape (n_orders, width)
        The first leaves the columns as they are.
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
        return (
            self._permute(batch, seed + position) for position, batch in enumerate(batches, skip)
        )

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in several orders, each with its share of the weight of a row."""
        orders = self.orders[:ORDERS_IN_ONE_PASS]
        for batch in self.source.blocks(n_rows):
            weights = batch.sample_weights
            if weights is None:
                weights = batch.inputs.new_ones(len(batch.inputs))
            for order in orders:
                yield Batch(batch.inputs[:, order], batch.targets, weights / len(orders))

    def _permute(self, batch: Batch, seed: int) -> Batch:
        # Each batch has a seed of its own: batches that are skipped need not be drawn.
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randint(len(self.orders), (len(batch.inputs),), generator=generator)
        return batch._replace(inputs=batch.inputs.gather(1, self.orders[drawn]))
