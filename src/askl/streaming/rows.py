"""Training rows that are read again in every epoch, and shuffled in a buffer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from askl._typing import Array
from askl.errors import TableError
from askl.learning import Batch, TensorRows
from askl.learning.sources import count_batches
from askl.streaming.prefetch import prefetch
from askl.streaming.sources import Partitions
from askl.streaming.statistics import StreamStatistics, row_keys

# Rows are shuffled in a buffer of at most this many rows and, in wide tables, numbers.
BUFFER_ROWS = 2**17
BUFFER_NUMBERS = 2**24
MOST_HELD_OUT = 20_000

Rows = tuple[Tensor, Tensor]


class Stream(NamedTuple):
    """An open source and its statistics; the seed decides which rows are held out."""

    partitions: Partitions
    statistics: StreamStatistics
    seed: int


class RowEncoder(NamedTuple):
    """How rows become tensors: inputs scaled, targets encoded, classes weighted."""

    scale_inputs: Callable[[Array], Array]
    encode_targets: Callable[[Array], Array]
    class_weights: Tensor | None = None

    def encode(self, X: Array, y: Array) -> Rows:
        """Return scaled inputs and encoded targets."""
        return torch.from_numpy(self.scale_inputs(X)), torch.from_numpy(self.encode_targets(y))

    def batch(self, inputs: Tensor, targets: Tensor, device: torch.device) -> Batch:
        """Bring encoded rows to a device, with the weights of their classes."""
        targets = targets.to(device)
        weights = None if self.class_weights is None else self.class_weights[targets]
        return Batch(inputs.to(device), targets, weights)


class StreamRows:
    """A source of batches for :func:`askl.learning.train` that reads a stream.

    Every epoch takes the partitions in a new order and shuffles their rows in a buffer. Half of
    the rows stay in the buffer for its next filling, so that rows can move farther than the buffer
    is long.

    Parameters
    ----------
    stream : Stream
    encoder : RowEncoder
    device : torch.device
    n_held_out : int
        How many rows are held out: of the sample, those with the smallest keys.
    buffer_rows : int
        Size of the buffer, which has fewer rows where there are very many columns.
    """

    def __init__(
        self,
        stream: Stream,
        encoder: RowEncoder,
        device: torch.device,
        n_held_out: int = 0,
        *,
        buffer_rows: int = BUFFER_ROWS,
    ) -> None:
        self.stream, self.encoder, self.device = stream, encoder, device
        self.n_samples = stream.statistics.n_rows - n_held_out
        self._buffer_rows = buffer_rows
        self._last_key_held_out = stream.statistics.keys[n_held_out - 1] if n_held_out else None
        self._offsets = np.cumsum([0, *stream.statistics.partition_rows]).tolist()

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has."""
        return count_batches(self.n_samples, batch_size)

    def held_out(self) -> TensorRows:
        """Return the rows that are held out."""
        statistics = self.stream.statistics
        n_rows = statistics.n_rows - self.n_samples
        inputs, targets = self.encoder.encode(statistics.X[:n_rows], statistics.y[:n_rows])
        return TensorRows(*self.encoder.batch(inputs, targets, self.device))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, at most ``n_rows`` at a time."""
        for inputs, targets in prefetch(self._read(range(self.stream.partitions.n_partitions))):
            for block in zip(inputs.split(n_rows), targets.split(n_rows), strict=True):
                yield self.encoder.batch(*block, self.device)

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return shuffled batches whose sizes differ by at most one row."""
        seed = int(torch.randint(2**62, (), generator=generator))
        return self._epoch(batch_size, seed, skip)

    def _epoch(self, batch_size: int, seed: int, skip: int) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(self.stream.partitions.n_partitions, generator=generator).tolist()
        n_batches = self.n_batches(batch_size)
        size, n_larger = divmod(self.n_samples, n_batches)
        sizes = [size + (position < n_larger) for position in range(n_batches)]
        shuffled = _shuffle(self._read(order), sizes, generator, self._buffer_rows)
        position = 0
        for inputs, targets, block_sizes in prefetch(shuffled):
            for rows in zip(inputs.split(block_sizes), targets.split(block_sizes), strict=True):
                if position >= skip:
                    yield self.encoder.batch(*rows, self.device)
                position += 1

    def _read(self, order: Iterable[int]) -> Iterator[Rows]:
        """Yield the encoded training rows of some partitions."""
        for partition in order:
            start, end = self._offsets[partition : partition + 2]
            position = start
            for X, y in self.stream.partitions.read(partition):
                keys = row_keys(position, len(X), self.stream.seed)
                position += len(X)
                if self._last_key_held_out is not None:
                    is_kept = keys > self._last_key_held_out
                    X, y = X[is_kept], y[is_kept]
                yield self.encoder.encode(X, y)
            if position != end:
                raise TableError(
                    "The source changed while fit_stream read it: a part of it has "
                    f"{position - start} rows, and had {end - start} at first. Leave files alone "
                    "until the fit is done, and let a callable yield the same rows each time."
                )


def _shuffle(
    chunks: Iterable[Rows], sizes: list[int], generator: torch.Generator, buffer_rows: int
) -> Iterator[tuple[Tensor, Tensor, list[int]]]:
    """Yield blocks of shuffled rows, each with the sizes of the batches it is made for."""
    waiting = deque(sizes)
    buffer: list[Rows] = []
    for rows in chunks:
        buffer.append(rows)
        n_rows = sum(len(targets) for _, targets in buffer)
        if n_rows >= min(buffer_rows, BUFFER_NUMBERS // rows[0].shape[1]):
            block_sizes: list[int] = []
            while sum(block_sizes) + waiting[0] <= n_rows // 2:
                block_sizes.append(waiting.popleft())
            drawn, rest = _draw(buffer, sum(block_sizes), generator)
            buffer = [rest]
            yield *drawn, block_sizes
    drawn, _ = _draw(buffer, sum(waiting), generator)
    yield *drawn, list(waiting)


def _draw(buffer: list[Rows], n_rows: int, generator: torch.Generator) -> tuple[Rows, Rows]:
    """Draw some of the rows at random; return them, and the others."""
    inputs, targets = (torch.cat(parts) for parts in zip(*buffer, strict=True))
    order = torch.randperm(len(targets), generator=generator)
    drawn, rest = order[:n_rows], order[n_rows:]
    return (inputs[drawn], targets[drawn]), (inputs[rest], targets[rest])
