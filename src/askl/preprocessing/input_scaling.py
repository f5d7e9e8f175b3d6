"""Input scaling, fitted column by column and applied batch by batch.

A kernel compares rows by their distances, and of columns in different units the one with the
largest numbers would decide alone: so every model scales its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array
from askl.preprocessing import scaling_kinds as kinds
from askl.preprocessing.scaling_kinds import Arrays, column_blocks, direction_blocks

# Bins are counted on about this many rows.
ROWS_TO_COUNT_BINS = 10_000

Blocks = Callable[[Any, int], Iterator[Array]]
Fit = Callable[[Array, Array | None], Arrays]


class ScalingKind(NamedTuple):
    """How a scaling is fitted and applied.

    Attributes
    ----------
    fits : tuple of pairs of callables
        The first of a pair yields blocks of columns, the second fits arrays to one block.
    apply : callable
        Scales dense rows with the arrays.
    copies : int
        How many scaled columns an input has, at the most.
    """

    fits: tuple[tuple[Blocks, Fit], ...]
    apply: Callable[[Array, Arrays], Array]
    copies: int = 1


SCALINGS: dict[str, ScalingKind] = {
    "robust": ScalingKind(((column_blocks, kinds.fit_robust),), kinds.apply_robust),
    "standard": ScalingKind(((column_blocks, kinds.fit_standard),), kinds.apply_standard),
    "quantile": ScalingKind(((column_blocks, kinds.fit_quantile),), kinds.apply_quantile),
    "robust+quantile": ScalingKind(
        ((column_blocks, kinds.fit_robust), (column_blocks, kinds.fit_quantile)),
        kinds.apply_robust_and_quantile,
        copies=2,
    ),
    "robust+direction": ScalingKind(
        ((column_blocks, kinds.fit_robust), (direction_blocks, kinds.fit_direction)),
        kinds.apply_robust_and_direction,
        copies=2,
    ),
    "bins": ScalingKind(((column_blocks, kinds.fit_bins),), kinds.apply_bins, copies=kinds.N_BINS),
    "none": ScalingKind((), lambda rows, arrays: rows),
}


class Scaling(NamedTuple):
    """A fitted scaling: its name in :data:`SCALINGS`, and its arrays."""

    kind: str
    arrays: dict[str, Array]

    def sources(self, n_features: int) -> Array:
        """Return the input that each scaled column is made from."""
        inputs = np.arange(n_features)
        if "counts" in self.arrays:  # of bins, which a column of few values has fewer of
            return np.repeat(inputs, self.arrays["counts"])
        return np.tile(inputs, SCALINGS[self.kind].copies)

    def gather(self, values: Array, n_features: int) -> Array:
        """Sum a value of each scaled column over the columns made from each input."""
        return np.bincount(self.sources(n_features), weights=values, minlength=n_features)

    def apply(self, rows: Any) -> Array:
        """Make some rows dense and scale them, as float32 (never the whole of a sparse matrix)."""
        dense = rows.toarray() if issparse(rows) else np.asarray(rows)
        scaled = SCALINGS[self.kind].apply(dense, self.arrays)
        return np.ascontiguousarray(scaled, dtype=np.float32)


def fit_scaling(
    X: Any,
    kind: str,
    sample_weight: Array | None = None,
    *,
    block_numbers: int = kinds.BLOCK_NUMBERS,
) -> Scaling:
    """Fit a scaling to dense or sparse inputs, making a few columns dense at a time.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    kind : {"robust", "standard", "quantile", "robust+quantile", "robust+direction", "bins", "none"}
        ``"robust"``: median and interquartile range, then z / sqrt(1 + (z/3)²), which brings
        far outliers near. ``"quantile"``: to a standard normal distribution through the ranks.
        ``"robust+quantile"``: both, side by side, twice as many columns.
        ``"robust+direction"``: each row, and beside it the row divided by its length, both robust:
        the second does not change when all columns grow together, as with light or volume.
        ``"bins"``: piecewise-linear encoding in eight quantile bins, fewer where a column has few
        values; each scaled column is the position of the value in one bin.
    sample_weight : array of shape (n_samples,), optional
    block_numbers : int
        Columns are made dense in blocks of this many numbers.

    Returns
    -------
    Scaling

    Examples
    --------
    >>> scaling = fit_scaling(np.array([[1.0], [2.0], [3.0]]), "standard")
    >>> scaling.apply(np.array([[2.0]]))
    array([[0.]], dtype=float32)
    """
    arrays: Arrays = {}
    for blocks, fit in SCALINGS[kind].fits:
        parts = [fit(block, sample_weight) for block in blocks(X, block_numbers)]
        arrays |= {key: np.concatenate([part[key] for part in parts], axis=-1) for key in parts[0]}
    return Scaling(kind, arrays)


def count_copies(kind: str) -> int:
    """Return how many scaled columns an input has, at the most.

    Examples
    --------
    >>> count_copies("robust"), count_copies("robust+quantile"), count_copies("bins")
    (1, 2, 8)
    """
    return SCALINGS[kind].copies


def count_scaled(X: Any, kind: str) -> int:
    """Count the columns that a scaling makes from all inputs; bins are counted on some rows.

    Examples
    --------
    >>> X = np.column_stack([np.arange(100.0), np.arange(100) % 2])
    >>> count_scaled(X, "robust+quantile"), count_scaled(X, "bins")
    (4, 9)
    """
    n_samples, n_features = X.shape
    if kind != "bins":
        return int(n_features) * count_copies(kind)
    some = X[:: max(1, n_samples // ROWS_TO_COUNT_BINS)]
    return len(fit_scaling(some, kind).sources(n_features))
