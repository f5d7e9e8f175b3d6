"""Statistics from one pass over a stream: row counts, moments, and a random sample of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.column_orders import pool_columns
from askl.preprocessing.column_statistics import divisors
from askl.preprocessing.input_scaling import Scaling, fit_scaling
from askl.streaming.sources import Partitions

# The sample decides quantiles, and some of its rows are held out. It has at most this many rows and
# numbers, but in very wide tables at least a few rows.
SAMPLE_ROWS = 100_000
LEAST_SAMPLE_ROWS = 1000
SAMPLE_NUMBERS = 2**24


def row_keys(start: int, n_rows: int, seed: int) -> Array:
    """Return a random number for each row of a stream, by the finaliser of splitmix64.

    That is a bijection, so no two rows have the same key. The rows with the smallest keys are a
    sample without replacement, however many rows there are.

    Parameters
    ----------
    start : int
        Position of the first of the rows in the stream.
    n_rows : int
    seed : int

    Returns
    -------
    ndarray of uint64, of shape (n_rows,)
    """
    offset = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
    keys = np.arange(start, start + n_rows, dtype=np.uint64) + offset
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    final: Array = keys ^ (keys >> np.uint64(31))
    return final


class RunningMoments:
    """Mean and deviation of rows that come in blocks.

    Examples
    --------
    >>> moments = RunningMoments()
    >>> moments.add(np.array([[1.0], [2.0]]))
    >>> moments.add(np.array([[6.0]]))
    >>> moments.mean, moments.deviation()
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
        """Return the deviation of each column, one where the column is constant."""
        return divisors(np.sqrt(self._squares / self.n_rows), self.mean)


class Sample:
    """The rows with the smallest keys so far, and their targets, in the order of their keys.

    Parameters
    ----------
    n_rows : int
        Size of the sample.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self._largest = np.uint64(2**64 - 1)
        self._parts: list[tuple[Array, Array, Array]] = []

    def add(self, keys: Array, X: Array, y: Array) -> None:
        """Add the rows whose keys are small enough."""
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
    """What one pass over a stream found.

    Attributes
    ----------
    partition_rows : list of int
        Number of rows in each partition.
    moments : RunningMoments
        Of the inputs of all rows.
    keys, X, y : ndarray
        Keys, inputs and targets of the sample.
    """

    partition_rows: list[int]
    moments: RunningMoments
    keys: Array
    X: Array
    y: Array

    @property
    def n_rows(self) -> int:
        """Number of rows in all partitions."""
        return self.moments.n_rows

    def fit_scaling(self, kind: str, orders: Array | None = None) -> Scaling:
        """Fit a scaling: mean and deviation to all rows, quantiles to the sample.

        With symmetries, the sample decides, and exchangeable columns are scaled in the same way.

        Parameters
        ----------
        kind : str
            One of :data:`askl.preprocessing.input_scaling.SCALINGS`.
        orders : ndarray of int of shape (n_orders, n_features), optional
            Symmetries, from :func:`askl.preprocessing.column_orders.complete_symmetries`.
        """
        if orders is not None:
            return fit_scaling(pool_columns(self.X, orders), kind)
        if kind == "standard":
            arrays = {"center": self.moments.mean, "scale": self.moments.deviation()}
            return Scaling(kind, arrays)
        return fit_scaling(self.X, kind)


def collect_statistics(
    partitions: Partitions,
    seed: int,
    on_targets: Callable[[Array], None],
    *,
    sample_rows: int = SAMPLE_ROWS,
) -> StreamStatistics:
    """Read all partitions once, in their order.

    Parameters
    ----------
    partitions : Partitions
    seed : int
        Decides the sample.
    on_targets : callable
        Called with the targets of every chunk.
    sample_rows : int
        Size of the sample, which has fewer rows where there are very many columns.

    Returns
    -------
    StreamStatistics
    """
    moments, partition_rows = RunningMoments(), []
    sample: Sample | None = None
    for partition in range(partitions.n_partitions):
        before = moments.n_rows
        for X, y in partitions.read(partition):
            assert_all_finite(X, input_name="X")
            if sample is None:
                affordable = max(LEAST_SAMPLE_ROWS, SAMPLE_NUMBERS // X.shape[1])
                sample = Sample(min(sample_rows, affordable))
            sample.add(row_keys(moments.n_rows, len(X), seed), X, y)
            on_targets(y)
            moments.add(X)
        partition_rows.append(moments.n_rows - before)
    if sample is None:
        raise TableError("The source of fit_stream has no rows. Give it at least one.")
    return StreamStatistics(partition_rows, moments, *sample.rows())
