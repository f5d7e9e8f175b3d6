"""Where batches come from. Training asks a source for an epoch of batches and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

import torch
from torch import Tensor


class Batch(NamedTuple):
    """Some samples: m rows of inputs, their targets, and how much each counts.

    Attributes
    ----------
    inputs : Tensor of shape (m, n_features)
    targets : Tensor of shape (m,) or (m, n_outputs)
        Class indices, or numbers.
    sample_weights : Tensor of shape (m,), optional
        Of mean one over all samples.

    Examples
    --------
    >>> import torch
    >>> batch = Batch(torch.zeros(3, 2), torch.tensor([0, 1, 2]))
    >>> batch.part(slice(1, 3)).targets
    tensor([1, 2])
    """

    inputs: Tensor
    targets: Tensor
    sample_weights: Tensor | None = None

    def blocks(self, rows: int) -> Iterator[tuple[int, Batch]]:
        """Yield (first row, block) for consecutive blocks of at most ``rows`` rows.

        Parameters
        ----------
        rows : int
            Rows a block, at most.

        Yields
        ------
        tuple of (int, Batch)
        """
        if len(self.inputs) <= rows:
            yield 0, self
            return
        for start in range(0, len(self.inputs), rows):
            yield start, self.part(slice(start, start + rows))

    def part(self, rows: slice) -> Batch:
        """Return some consecutive samples; they are not copied.

        Parameters
        ----------
        rows : slice

        Returns
        -------
        Batch
        """
        weights = None if self.sample_weights is None else self.sample_weights[rows]
        return Batch(self.inputs[rows], self.targets[rows], weights)


class Shard(NamedTuple):
    """One of several processes that share rows or components."""

    rank: int
    size: int

    def part(self, length: int) -> slice:
        """Return which of so many rows or components are this process's."""
        return slice(length * self.rank // self.size, length * (self.rank + 1) // self.size)


ALL_ROWS = Shard(0, 1)
# Rows of a block where all rows are passed over once.
BLOCK_ROWS = 4096


class Source(Protocol):
    """Anything that can yield an epoch of batches, and all rows in their own order.

    Examples
    --------
    >>> import torch
    >>> source: Source = TensorRows(torch.zeros(10, 2), torch.zeros(10, 1))
    >>> source.n_samples, source.n_batches(4)
    (10, 3)
    """

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        ...

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has.

        Parameters
        ----------
        batch_size : int
            Rows a batch, at most.

        Returns
        -------
        int
        """
        ...

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Draw an order from the generator, at once, and yield the batches but the first few.

        The same state of the generator gives the same batches.

        Parameters
        ----------
        batch_size : int
            Rows a batch, at most.
        generator : torch.Generator
            Decides the order.
        skip : int, default=0
            Batches to leave out at the start of the epoch.

        Returns
        -------
        iterator of Batch
        """
        ...

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, about ``n_rows`` at a time.

        Parameters
        ----------
        n_rows : int
            Rows a block, about.

        Yields
        ------
        Batch
        """
        ...


class DerivedSource:
    """A source of another's rows, as many and in as many batches; what changes is for subclasses.

    Parameters
    ----------
    source : Source
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        return self.source.n_samples

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has.

        Parameters
        ----------
        batch_size : int
            Rows a batch, at most.

        Returns
        -------
        int
        """
        return self.source.n_batches(batch_size)


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

    Examples
    --------
    >>> import torch
    >>> rows = TensorRows(torch.zeros(5, 2), torch.zeros(5, 1))
    >>> [len(batch.inputs) for batch in rows.epoch(2, torch.Generator().manual_seed(0))]
    [2, 2, 1]
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
        """Return how many batches an epoch has.

        Parameters
        ----------
        batch_size : int
            Rows a batch, at most.

        Returns
        -------
        int
        """
        return max(1, math.ceil(self.n_samples / batch_size))

    def rows(self, index: Tensor) -> Batch:
        """Return the samples at some rows.

        Parameters
        ----------
        index : Tensor of shape (n_rows,)
            Positions of rows.

        Returns
        -------
        Batch
        """
        weights = None if self.sample_weights is None else self.sample_weights[index]
        return Batch(self.take(index), self.targets[index], weights)

    def subset(self, index: Tensor) -> TensorRows:
        """Return a source of some of the rows; they are not copied.

        Parameters
        ----------
        index : Tensor of shape (n_rows,)
            Positions of rows.

        Returns
        -------
        TensorRows
        """
        weights = None if self.sample_weights is None else self.sample_weights[index]
        return TensorRows(lambda within: self.take(index[within]), self.targets[index], weights)

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, at most ``n_rows`` at a time.

        Parameters
        ----------
        n_rows : int
            Rows a block, at most.

        Yields
        ------
        Batch
        """
        for index in torch.arange(len(self.targets)).split(n_rows):
            yield self.rows(index)

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return shuffled batches whose sizes differ by at most one row.

        Parameters
        ----------
        batch_size : int
            Rows a batch, at most.
        generator : torch.Generator
            Decides the order.
        skip : int, default=0
            Batches to leave out at the start of the epoch.

        Returns
        -------
        iterator of Batch
        """
        order = torch.randperm(len(self.targets), generator=generator)
        return map(self.rows, order.tensor_split(self.n_batches(batch_size))[skip:])


class Split(NamedTuple):
    """Rows to train on and, where some are held out, the others."""

    train: Source
    held_out: TensorRows | None
