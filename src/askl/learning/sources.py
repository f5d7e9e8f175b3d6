"""Where batches come from. Training asks a source for the batches of an epoch, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from askl.learning.batch import Batch

# Rows of a block, for passes over all rows.
BLOCK_ROWS = 4096


class Source(Protocol):
    """Anything that yields the batches of an epoch, and all rows in their own order.

    Examples
    --------
    >>> import torch
    >>> source: Source = TensorRows(torch.zeros(10, 2), torch.zeros(10, 1))
    >>> source.n_samples, source.n_batches(4)
    (10, 3)
    """

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        ...

    def n_batches(self, batch_size: int) -> int:
        """Return the number of batches of an epoch.

        Parameters
        ----------
        batch_size : int
            Rows of a batch, at most.

        Returns
        -------
        int
        """
        ...

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Draw the order of the rows, at once, and return the batches in this order.

        The same state of the generator gives the same batches.

        Parameters
        ----------
        batch_size : int
            Rows of a batch, at most.
        generator : torch.Generator
            Decides the order.
        skip : int, default=0
            Number of batches to leave out at the beginning.

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
            Rows of a block, about.

        Yields
        ------
        Batch
        """
        ...


class DerivedSource:
    """A source that changes the rows of another one, but not their number.

    Subclasses define :meth:`Source.epoch` and :meth:`Source.blocks`.

    Parameters
    ----------
    source : Source
        The other one.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.source.n_samples

    def n_batches(self, batch_size: int) -> int:
        """Return the number of batches of an epoch.

        Parameters
        ----------
        batch_size : int
            Rows of a batch, at most.

        Returns
        -------
        int
        """
        return self.source.n_batches(batch_size)


def count_batches(n_samples: int, batch_size: int) -> int:
    """Return the number of batches of an epoch; their sizes differ by at most one row.

    Examples
    --------
    >>> count_batches(100, 32)
    4
    """
    return max(1, math.ceil(n_samples / batch_size))


class TensorRows:
    """Samples in memory, or inputs that a function computes when they are needed.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features), or a callable
        A callable ``take(index) -> Tensor`` returns the inputs of some rows. With it, training
        needs no dense copy of sparse and memory-mapped arrays.
    targets : Tensor of shape (n_samples,) or (n_samples, n_outputs)
    sample_weights : Tensor of shape (n_samples,), optional
        Their mean is one.

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
        """Number of rows."""
        return len(self.targets)

    def n_batches(self, batch_size: int) -> int:
        """Return the number of batches of an epoch.

        Parameters
        ----------
        batch_size : int
            Rows of a batch, at most.

        Returns
        -------
        int
        """
        return count_batches(self.n_samples, batch_size)

    def rows(self, index: Tensor) -> Batch:
        """Return some of the samples.

        Parameters
        ----------
        index : Tensor of shape (n_rows,)
            Positions of the rows.

        Returns
        -------
        Batch
        """
        weights = None if self.sample_weights is None else self.sample_weights[index]
        return Batch(self.take(index), self.targets[index], weights)

    def subset(self, index: Tensor) -> TensorRows:
        """Return a source of some of the rows, without copying them.

        Parameters
        ----------
        index : Tensor of shape (n_rows,)
            Positions of the rows.

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
            Rows of a block, at most.

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
            Rows of a batch, at most.
        generator : torch.Generator
            Decides the order.
        skip : int, default=0
            Number of batches to leave out at the beginning.

        Returns
        -------
        iterator of Batch
        """
        order = torch.randperm(len(self.targets), generator=generator)
        return map(self.rows, order.tensor_split(self.n_batches(batch_size))[skip:])


class Split(NamedTuple):
    """Rows to train on, and held-out rows if there are any.

    Attributes
    ----------
    train : Source
    held_out : TensorRows or None
    held_out_joins : bool, default=True
        Whether held-out rows join the others when the head is solved, once they have chosen its
        penalty. Not if they are the user's own validation rows.
    """

    train: Source
    held_out: TensorRows | None
    held_out_joins: bool = True
