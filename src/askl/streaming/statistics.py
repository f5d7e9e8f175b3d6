"""One pass over a stream: how many rows, their moments, their targets, and a fair sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.column_orders import pool_columns
from askl.preprocessing.constant_columns import divisors
from askl.preprocessing.input_scaling import Scaling, fit_scaling
from askl.streaming.sources import Pieces

# The sample decides quantiles, and some of its rows are those held out.
SAMPLE_ROWS = 100_000
SAMPLE_NUMBERS = 2**24


def row_keys(start: int, n_rows: int, seed: int) -> Array:
    """Give every row of a stream a random number of its own: the finaliser of splitmix64.

    It is a bijection: no two rows share a key. The rows of the smallest keys are a sample
    without replacement, whatever the number of rows turns out to be.
    """
    offset = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    keys = np.arange(start, start + n_rows, dtype=np.uint64) + offset
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = keys ^ (keys >> np.uint64(31))
    return mixed


class RunningMoments:
    """Mean and deviation of more rows than memory holds.

    Examples
    --------
    >>> import numpy as np
    >>> running = RunningMoments()
    >>> running.add(np.array([[1.0], [2.0]]))
    >>> running.add(np.array([[6.0]]))
    >>> running.mean, running.deviation()
    (array([3.]), array([2.1602469]))
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.mean: Array = np.zeros(())
        self._squares: Array = np.zeros(())

    def add(self, block: Array) -> None:
        """Add some rows."""
        block = np.asarray(block, dtype=np.float64)
        mean = block.mean(axis=0)
        shift, share = mean - self.mean, len(block) / (self.n_rows + len(block))
        # Squares about the means, so that a large offset does not eat their digits.
        within = np.square(block - mean).sum(axis=0)
        self._squares = self._squares + within + np.square(shift) * (share * self.n_rows)
        self.mean = self.mean + shift * share
        self.n_rows += len(block)

    def deviation(self) -> Array:
        """Return the deviation of every column, one where the column is constant."""
        return divisors(np.sqrt(self._squares / self.n_rows), self.mean)


class Sample:
    """The rows of the smallest keys seen so far, with their targets, in the order of keys."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self._largest = np.uint64(2**64 - 1)
        self._parts: list[tuple[Array, Array, Array]] = []

    def add(self, keys: Array, X: Array, y: Array) -> None:
        """Take in the rows whose keys are small enough."""
        small = keys <= self._largest
        self._parts.append((keys[small], X[small], y[small]))
        if sum(len(part[0]) for part in self._parts) > 2 * self.n_rows:
            self.rows()

    def rows(self) -> tuple[Array, Array, Array]:
        """Return keys, inputs and targets of the sample."""
        keys, X, y = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        order = np.argsort(keys)[: self.n_rows]
        self._parts = [(keys[order], X[order], y[order])]
        if len(order) == self.n_rows:
            self._largest = self._parts[0][0][-1]
        return self._parts[0]


class StreamStatistics(NamedTuple):
    """What one pass found; ``keys``, ``X`` and ``y`` are the sample's."""

    piece_rows: list[int]
    moments: RunningMoments
    keys: Array
    X: Array
    y: Array

    @property
    def n_rows(self) -> int:
        """How many rows there are in all."""
        return self.moments.n_rows

    def fit_scaling(self, kind: str, orders: Array | None = None) -> Scaling:
        """Fit a scaling: mean and deviation are those of all rows, quantiles the sample's.

        Columns that may change places are scaled alike, by the sample.
        """
        if orders is not None:
            return fit_scaling(pool_columns(self.X, orders), kind)
        if kind == "standard":
            arrays = {"center": self.moments.mean, "scale": self.moments.deviation()}
            return Scaling(kind, arrays)
        return fit_scaling(self.X, kind)


def collect_statistics(
    pieces: Pieces, seed: int, on_targets: Callable[[Array], None]
) -> StreamStatistics:
    """Read all pieces once, in their order.

    Parameters
    ----------
    pieces : Pieces
    seed : int
        Decides the sample.
    on_targets : callable
        Called with the targets of every chunk.
    """
    moments, piece_rows = RunningMoments(), []
    sample: Sample | None = None
    for piece in range(pieces.n_pieces):
        before = moments.n_rows
        for X, y in pieces.read(piece):
            assert_all_finite(X, input_name="X")
            if sample is None:
                sample = Sample(min(SAMPLE_ROWS, max(1000, SAMPLE_NUMBERS // X.shape[1])))
            sample.add(row_keys(moments.n_rows, len(X), seed), X, y)
            on_targets(y)
            moments.add(X)
        piece_rows.append(moments.n_rows - before)
    if sample is None:
        raise TableError("The source of fit_stream has no rows. Give it at least one.")
    return StreamStatistics(piece_rows, moments, *sample.rows())
