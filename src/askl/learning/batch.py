"""A batch of samples, and how processes divide it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torch import Tensor


class Batch(NamedTuple):
    """Some samples: m rows of inputs, their targets, and their weights.

    Attributes
    ----------
    inputs : Tensor of shape (m, n_features)
    targets : Tensor of shape (m,) or (m, n_outputs)
        Class indices, or numbers.
    sample_weights : Tensor of shape (m,), optional
        Their mean over all samples of the source is one.

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
            Rows of a block, at most.

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
        """Return some consecutive samples, without copying them.

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
    """The share that one of several processes has of some rows or components."""

    rank: int
    size: int

    def part(self, length: int) -> slice:
        """Return this process's part of a number of rows or components."""
        return slice(length * self.rank // self.size, length * (self.rank + 1) // self.size)


ALL_ROWS = Shard(0, 1)
