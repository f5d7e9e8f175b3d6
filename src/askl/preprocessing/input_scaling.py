"""Input scaling, fitted column by column and applied batch by batch.

A kernel sees distances, so columns of unlike units drown each other: scaling is built in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtri

from askl._typing import Array
from askl.preprocessing.constant_columns import is_constant

# A column block of this many numbers is densified at a time.
_BLOCK_NUMBERS = 2**22
_QUARTILES = np.array([0.25, 0.5, 0.75])
_N_QUANTILES = 1000
# The interquartile range of a standard normal.
_NORMAL_IQR = 1.349
SMOOTH_CLIP = 3.0
# Directions that vary by a smaller share of themselves do not vary.
_LEAST_SPREAD = 1e-8
N_BINS = 8
# Bins are counted on so many rows.
ROWS_TO_COUNT_BINS = 10_000
# Whatever lies farther out is brought here, which single precision can hold and square.
LARGEST = 1e15


class Scaling(NamedTuple):
    """A fitted scaling: its name in :data:`SCALINGS` and its arrays."""

    kind: str
    arrays: dict[str, Array]

    def sources(self, n_features: int) -> Array:
        """Return the input that each of the scaled columns is made of."""
        inputs = np.arange(n_features)
        if self.kind == "bins":
            return np.repeat(inputs, self.arrays["counts"])
        return np.tile(inputs, count_copies(self.kind))

    def gather(self, values: Array, n_features: int) -> Array:
        """Add up a value of each scaled column for the input it is made of."""
        return np.bincount(self.sources(n_features), weights=values, minlength=n_features)

    def apply(self, rows: Any) -> Array:
        """Densify and scale some rows, as float32 (never the whole of a sparse matrix)."""
        dense = rows.toarray() if issparse(rows) else np.asarray(rows)
        scaled = _TRANSFORMS[self.kind](dense, self.arrays)
        return np.ascontiguousarray(scaled, dtype=np.float32)


def count_copies(kind: str) -> int:
    """Count the scaled columns that a scaling makes of one; of bins it is the most.

    Examples
    --------
    >>> count_copies("robust"), count_copies("robust+quantile"), count_copies("bins")
    (1, 2, 8)
    """
    return N_BINS if kind == "bins" else kind.count("+") + 1


def count_scaled(X: Any, kind: str) -> int:
    """Count the columns that a scaling makes of all inputs, bins by some of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.column_stack([np.arange(100.0), np.arange(100) % 2])
    >>> count_scaled(X, "robust+quantile"), count_scaled(X, "bins")
    (4, 9)
    """
    n_samples, n_features = X.shape
    if kind != "bins":
        return int(n_features) * count_copies(kind)
    some = X[:: max(1, n_samples // ROWS_TO_COUNT_BINS)]
    return len(fit_scaling(some, kind).sources(n_features))


def _column_blocks(X: Any) -> Iterator[Array]:
    """Densify some columns at a time, in double precision."""
    n_rows, n_columns = X.shape
    width = max(1, _BLOCK_NUMBERS // max(1, n_rows))
    by_column = X.tocsc() if issparse(X) else X
    for start in range(0, n_columns, width):
        block = by_column[:, start : start + width]
        yield np.asarray(block.toarray() if issparse(block) else block, dtype=np.float64)


def weighted_quantiles(column: Array, weights: Array | None, levels: Array) -> Array:
    """Return the quantiles of a column, each one of its values (the inverted CDF).

    A weight of two is the same as the row twice, to the bit.
    """
    order = np.argsort(column, kind="stable")
    if weights is None:
        cumulative = np.arange(1, len(column) + 1, dtype=np.float64) / len(column)
    else:
        cumulative = np.cumsum(weights[order], dtype=np.float64)
        cumulative /= cumulative[-1]
    positions = np.searchsorted(cumulative, levels - 1e-12)
    quantiles: Array = column[order[np.minimum(positions, len(column) - 1)]]
    return quantiles


def _deviation(block: Array, weights: Array | None) -> tuple[Array, Array]:
    # In units of the largest entry, whose square cannot overflow. One copy, worked on in place:
    # fresh memory costs more than the arithmetic.
    size = np.maximum(block.max(axis=0), -block.min(axis=0))
    unit = block / np.where(size > 0.0, size, 1.0)
    mean = np.average(unit, axis=0, weights=weights)
    unit -= mean
    deviation = np.sqrt(np.average(np.square(unit, out=unit), axis=0, weights=weights))
    return mean * size, np.where(is_constant(deviation, mean), 1.0, deviation * size)


def _fit_standard(block: Array, weights: Array | None) -> dict[str, Array]:
    mean, deviation = _deviation(block, weights)
    return {"center": mean, "scale": deviation}


def _fit_robust(block: Array, weights: Array | None) -> dict[str, Array]:
    _, deviation = _deviation(block, weights)
    low, middle, high = np.stack(
        [weighted_quantiles(column, weights, _QUARTILES) for column in block.T], axis=1
    )
    spread = high / _NORMAL_IQR - low / _NORMAL_IQR
    # Columns that are mostly one value have no interquartile range; their deviation serves.
    return {"center": middle, "scale": np.where(spread > 0.0, spread, deviation)}


def _fit_quantile(block: Array, weights: Array | None) -> dict[str, Array]:
    levels = np.linspace(0.0, 1.0, min(_N_QUANTILES, len(block)) if len(block) > 1 else 2)
    columns = [weighted_quantiles(column, weights, levels) for column in block.T]
    return {
        "quantiles": np.stack(columns, axis=1),
        "levels": np.tile(levels[:, None], len(columns)),
    }


def _apply_standard(rows: Array, arrays: dict[str, Array]) -> Array:
    # float64 until after centring: a large offset would eat float32's digits.
    with np.errstate(over="ignore"):
        scaled: Array = np.subtract(rows, arrays["center"], dtype=np.float64)
        scaled /= arrays["scale"]
    np.clip(scaled, -LARGEST, LARGEST, out=scaled)
    return scaled.astype(np.float32)


def _apply_robust(rows: Array, arrays: dict[str, Array]) -> Array:
    scaled = _apply_standard(rows, arrays)
    damping = np.square(scaled)
    damping *= 1.0 / SMOOTH_CLIP**2
    damping += 1.0
    scaled /= np.sqrt(damping, out=damping)
    return scaled


def _apply_quantile(rows: Array, arrays: dict[str, Array]) -> Array:
    levels = arrays["levels"][:, 0]
    scaled = np.empty(rows.shape)
    for column, quantiles in enumerate(arrays["quantiles"].T):
        # Ties are sent to the middle of their levels: the mean of the two one-sided inverses.
        values = rows[:, column].astype(np.float64)
        upper = np.interp(values, quantiles, levels)
        lower = -np.interp(-values, -quantiles[::-1], -levels[::-1])
        scaled[:, column] = 0.5 * (upper + lower)
    # Half a level from either end keeps the normal quantile finite.
    margin = 0.5 / len(levels)
    normal: Array = ndtri(np.clip(scaled, margin, 1.0 - margin))
    return normal


def _fit_bins(block: Array, weights: Array | None) -> dict[str, Array]:
    levels = np.linspace(0.0, 1.0, N_BINS + 1)
    # Halves, whose differences cannot overflow. A column of few values has fewer bins, none empty.
    edges = [0.5 * np.unique(weighted_quantiles(column, weights, levels)) for column in block.T]
    edges = [np.repeat(each, 2) if len(each) == 1 else each for each in edges]
    arrays = {
        "counts": np.array([len(each) - 1 for each in edges]),
        "lows": np.concatenate([each[:-1] for each in edges]),
        "widths": np.concatenate([np.diff(each) for each in edges]),
    }
    center, scale = _deviation(_fill_bins(block, arrays), weights)
    return {**arrays, "center": center, "scale": scale}


def _fill_bins(rows: Array, arrays: dict[str, Array]) -> Array:
    """Return how far each value has come through each of its column's bins, from 0 to 1."""
    widths = arrays["widths"]
    halves = np.repeat(np.multiply(rows, 0.5, dtype=np.float64), arrays["counts"], axis=1)
    with np.errstate(over="ignore"):
        filled = (halves - arrays["lows"]) / np.where(widths > 0.0, widths, np.inf)
    return np.asarray(np.clip(filled, 0.0, 1.0))


def _apply_bins(rows: Array, arrays: dict[str, Array]) -> Array:
    standard: Array = (_fill_bins(rows, arrays) - arrays["center"]) / arrays["scale"]
    return standard


def _fit_both(block: Array, weights: Array | None) -> dict[str, Array]:
    return {**_fit_robust(block, weights), **_fit_quantile(block, weights)}


def _apply_both(rows: Array, arrays: dict[str, Array]) -> Array:
    return np.hstack([_apply_robust(rows, arrays), _apply_quantile(rows, arrays)])


def _direction_blocks(X: Any) -> Iterator[Array]:
    """Divide rows by their length, some columns at a time; a row of zeros stays one."""
    # In units of the largest entry, whose square cannot overflow.
    sizes = np.zeros((X.shape[0], 1))
    for block in _column_blocks(X):
        np.maximum(sizes, np.abs(block).max(axis=1, keepdims=True), out=sizes)
    sizes[sizes == 0.0] = 1.0
    squares = np.zeros_like(sizes)
    for block in _column_blocks(X):
        squares += np.square(block / sizes).sum(axis=1, keepdims=True)
    lengths = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    for block in _column_blocks(X):
        yield block / sizes / lengths


def _apply_with_direction(rows: Array, arrays: dict[str, Array]) -> Array:
    of_directions = {key: arrays[f"direction_{key}"] for key in ("center", "scale")}
    directions = np.hstack(list(_direction_blocks(rows)))
    return np.hstack([_apply_robust(rows, arrays), _apply_robust(directions, of_directions)])


SCALINGS: dict[str, Callable[[Array, Array | None], dict[str, Array]]] = {
    "robust": _fit_robust,
    "standard": _fit_standard,
    "quantile": _fit_quantile,
    "robust+quantile": _fit_both,
    "robust+direction": _fit_robust,
    "bins": _fit_bins,
    "none": lambda block, weights: {},
}
_TRANSFORMS: dict[str, Callable[[Array, dict[str, Array]], Array]] = {
    "robust": _apply_robust,
    "standard": _apply_standard,
    "quantile": _apply_quantile,
    "robust+quantile": _apply_both,
    "robust+direction": _apply_with_direction,
    "bins": _apply_bins,
    "none": lambda rows, arrays: rows,
}


def fit_scaling(X: Any, kind: str, sample_weight: Array | None = None) -> Scaling:
    """Fit a scaling to dense or sparse inputs, densifying a few columns at a time.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    kind : {"robust", "standard", "quantile", "robust+quantile", "robust+direction", "bins", "none"}
        ``"robust"``: median and interquartile range, then z / sqrt(1 + (z/3)²), which keeps
        far outliers within reach. ``"quantile"``: to a standard normal through the ranks.
        ``"robust+quantile"``: both, side by side, twice as many columns.
        ``"robust+direction"``: each row beside itself divided by its length, both robust: what is
        left when all columns grow together, as with light or volume. ``"bins"``: eight columns
        for each, or fewer where it has few values, which say how far it has come through each
        eighth of its values.
    sample_weight : array of shape (n_samples,), optional

    Examples
    --------
    >>> import numpy as np
    >>> scaling = fit_scaling(np.array([[1.0], [2.0], [3.0]]), "standard")
    >>> scaling.apply(np.array([[2.0]]))
    array([[0.]], dtype=float32)
    """
    arrays = _fit_blocks(_column_blocks(X), kind, sample_weight)
    if kind == "robust+direction":
        fitted = _fit_blocks(_direction_blocks(X), "robust", sample_weight)
        # What nearly all of a row's length is of does not vary but by rounding.
        constant = fitted["scale"] <= _LEAST_SPREAD * np.abs(fitted["center"])
        fitted["scale"] = np.where(constant, 1.0, fitted["scale"])
        arrays |= {f"direction_{key}": array for key, array in fitted.items()}
    return Scaling(kind, arrays)


def _fit_blocks(
    blocks: Iterable[Array], kind: str, sample_weight: Array | None
) -> dict[str, Array]:
    parts = [SCALINGS[kind](block, sample_weight) for block in blocks]
    return {key: np.concatenate([part[key] for part in parts], axis=-1) for key in parts[0]}
