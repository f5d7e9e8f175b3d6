"""Training rows that are read again every epoch: shuffled in a buffer, never all in memory."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from askl._typing import Array
from askl.errors import TableError
from askl.learning import Batch, TensorRows
from askl.streaming.prefetch import prefetch
from askl.streaming.sources import Pieces
from askl.streaming.statistics import StreamStatistics, row_keys

# Rows to shuffle at a time: at most so many, of at most so many numbers in all.
BUFFER_ROWS = 2**17
BUFFER_NUMBERS = 2**24
MOST_HELD_OUT = 20_000

Rows = tuple[Tensor, Tensor]


class Stream(NamedTuple):
    """An open source and what one pass over it found; the seed decides who is held out."""

    pieces: Pieces
    statistics: StreamStatistics
    seed: int


class Encoding(NamedTuple):
    """How rows are made ready: inputs scaled, targets encoded, classes weighted."""

    inputs: Callable[[Array], Array]
    targets: Callable[[Array], Array]
    class_weights: Tensor | None = None

    def rows(self, X: Array, y: Array) -> Rows:
        """Make some rows ready."""
        return torch.from_numpy(self.inputs(X)), torch.from_numpy(self.targets(y))


class StreamRows:
    """A source of batches for :func:`askl.learning.train` that reads a stream.

    Every epoch takes the pieces in a new order and shuffles their rows in a buffer, half of
    which stays for the next fill, so that rows travel farther than the buffer is long.

    Parameters
    ----------
    stream : Stream
    encoding : Encoding
    device : torch.device
    n_held_out : int
        How many rows of the sample are not for training: those of the smallest keys.
    """

    def __init__(
        self, stream: Stream, encoding: Encoding, device: torch.device, n_held_out: int = 0
    ) -> None:
        self.stream, self.encoding, self.device = stream, encoding, device
        self.n_samples = stream.statistics.n_rows - n_held_out
        self._threshold = stream.statistics.keys[n_held_out - 1] if n_held_out else None
        self._offsets = np.cumsum([0, *stream.statistics.piece_rows]).tolist()

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has."""
        return max(1, math.ceil(self.n_samples / batch_size))

    def held_out(self) -> TensorRows:
        """Return the rows that are not for training."""
        statistics = self.stream.statistics
        n_rows = statistics.n_rows - self.n_samples
        inputs, targets = self.encoding.rows(statistics.X[:n_rows], statistics.y[:n_rows])
        targets = targets.to(self.device)
        return TensorRows(inputs.to(self.device), targets, self._weights(targets))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, at most ``n_rows`` at a time."""
        for inputs, targets in prefetch(self._read(range(self.stream.pieces.n_pieces))):
            yield from map(self._batch, inputs.split(n_rows), targets.split(n_rows))

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return shuffled batches whose sizes differ by at most one row."""
        seed = int(torch.randint(2**62, (), generator=generator))
        return self._epoch(batch_size, seed, skip)

    def _epoch(self, batch_size: int, seed: int, skip: int) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(self.stream.pieces.n_pieces, generator=generator).tolist()
        n_batches = self.n_batches(batch_size)
        size, larger = divmod(self.n_samples, n_batches)
        sizes = [size + (position < larger) for position in range(n_batches)]
        position = 0
        for inputs, targets, taken in prefetch(_shuffle(self._read(order), sizes, generator)):
            for part in zip(inputs.split(taken), targets.split(taken), strict=True):
                if position >= skip:
                    yield self._batch(*part)
                position += 1

    def _read(self, order: Iterable[int]) -> Iterator[Rows]:
        """Yield the training rows of some pieces, ready."""
        for piece in order:
            start, end = self._offsets[piece : piece + 2]
            position = start
            for X, y in self.stream.pieces.read(piece):
                keys = row_keys(position, len(X), self.stream.seed)
                position += len(X)
                if self._threshold is not None:
                    X, y = X[keys > self._threshold], y[keys > self._threshold]
                yield self.encoding.rows(X, y)
            if position != end:
                raise TableError(
                    f"The source changed while fit_stream read it: a piece has "
                    f"{position - start} rows, and had {end - start} at first. Leave files alone "
                    "until the fit is done, and let a callable yield the same rows each time."
                )

    def _batch(self, inputs: Tensor, targets: Tensor) -> Batch:
        targets = targets.to(self.device)
        return Batch(inputs.to(self.device), targets, self._weights(targets))

    def _weights(self, targets: Tensor) -> Tensor | None:
        weights = self.encoding.class_weights
        return None if weights is None else weights[targets]


def _shuffle(
    chunks: Iterable[Rows], sizes: list[int], generator: torch.Generator
) -> Iterator[tuple[Tensor, Tensor, list[int]]]:
    """Yield blocks of shuffled rows, each with the sizes of the batches it is made for."""
    waiting = deque(sizes)
    held: list[Rows] = []
    for rows in chunks:
        held.append(rows)
        n_rows = sum(len(targets) for _, targets in held)
        if n_rows >= min(BUFFER_ROWS, BUFFER_NUMBERS // rows[0].shape[1]):
            taken: list[int] = []
            while sum(taken) + waiting[0] <= n_rows // 2:
                taken.append(waiting.popleft())
            first, rest = _draw(held, sum(taken), generator)
            held = [rest]
            yield *first, taken
    first, _ = _draw(held, sum(waiting), generator)
    yield *first, list(waiting)


def _draw(held: list[Rows], n_rows: int, generator: torch.Generator) -> tuple[Rows, Rows]:
    """Draw some of the rows at random; return them, and the others."""
    inputs, targets = (torch.cat(parts) for parts in zip(*held, strict=True))
    order = torch.randperm(len(targets), generator=generator)
    first, rest = order[:n_rows], order[n_rows:]
    return (inputs[first], targets[first]), (inputs[rest], targets[rest])
