"""Where batches come from. Training asks a source for an epoch of batches and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

import torch
from torch import Tensor


class Batch(NamedTuple):
    """Some samples: inputs (m, d), targets (m,) or (m, K), and weights (m,) of mean one."""

    inputs: Tensor
    targets: Tensor
    sample_weights: Tensor | None = None

    def blocks(self, rows: int) -> Iterator[tuple[int, Batch]]:
        """Yield (first row, block) for consecutive blocks of at most ``rows`` rows."""
        if len(self.inputs) <= rows:
            yield 0, self
            return
        for start in range(0, len(self.inputs), rows):
            yield start, self.part(slice(start, start + rows))

    def part(self, rows: slice) -> Batch:
        """Return some consecutive samples; they are not copied."""
        weights = None if self.sample_weights is None else self.sample_weights[rows]
        return Batch(self.inputs[rows], self.targets[rows], weights)


class Shard(NamedTuple):
    """One of several processes that share the rows of every block."""

    rank: int
    size: int

    def part(self, n_rows: int) -> slice:
        """Return the rows of a block that are this process's."""
        return slice(n_rows * self.rank // self.size, n_rows * (self.rank + 1) // self.size)


ALL_ROWS = Shard(0, 1)


class Source(Protocol):
    """Anything that can yield an epoch of batches, and all rows in their own order."""

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        ...

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has."""
        ...

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Draw an order from the generator, at once, and yield the batches but the first few.

        The same state of the generator gives the same batches.
        """
        ...

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, about ``n_rows`` at a time."""
        ...


class TensorRows:
    """Samples held in memory, or read row by row with ``take``.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features), or a callable
        A callable ``take(index) -> Tensor`` makes rows on demand, which is how sparse and
        memory-mapped arrays are trained on without a dense copy.
    targets : Tensor of shape (n_samples,) or (n_samples, n_outputs)
    sample_weights : Tensor of shape (n_samples,), optional
        Of mean one.
    """

    def __init__(
        self,
        inputs: Tensor | Callable[[Tensor], Tensor],
        targets: Tensor,
        sample_weights: Tensor | None = None,
    ) -> None:
        self.take = inputs if callable(inputs) else partial(torch.index_select, inputs, 0)
        self.targets = targets
        self.sample_weights = sample_weights

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        return len(self.targets)

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has."""
        return max(1, math.ceil(self.n_samples / batch_size))

    def rows(self, index: Tensor) -> Batch:
        """Return the samples at some rows."""
        weights = None if self.sample_weights is None else self.sample_weights[index]
        return Batch(self.take(index), self.targets[index], weights)

    def subset(self, index: Tensor) -> TensorRows:
        """Return a source of some of the rows; they are not copied."""
        weights = None if self.sample_weights is None else self.sample_weights[index]
        return TensorRows(lambda within: self.take(index[within]), self.targets[index], weights)

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, at most ``n_rows`` at a time."""
        for index in torch.arange(len(self.targets)).split(n_rows):
            yield self.rows(index)

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return shuffled batches whose sizes differ by at most one row."""
        order = torch.randperm(len(self.targets), generator=generator)
        return map(self.rows, order.tensor_split(self.n_batches(batch_size))[skip:])
