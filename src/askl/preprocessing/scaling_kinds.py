"""How each kind of scaling is fitted to blocks of columns, and applied to blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtri

from askl._typing import Array
from askl.preprocessing.column_statistics import mean_and_divisor, weighted_quantiles

Arrays = dict[str, Array]

# Columns are made dense in blocks of this many numbers.
BLOCK_NUMBERS = 2**22
# The robust scaling keeps everything within this distance of zero.
SMOOTH_CLIP = 3.0
# The standard scaling keeps everything within this distance: single precision can square it.
LARGEST = 1e15
# The most bins of a column.
N_BINS = 8
_QUARTILES = np.array([0.25, 0.5, 0.75])
_N_QUANTILES = 1000
# The interquartile range of a standard normal distribution.
_NORMAL_IQR = 1.349
# A column of directions is constant if its deviation is a smaller share of its centre: if nearly
# all of a row's length comes from one column, its share of the length varies by rounding alone.
_CONSTANT_DIRECTION = 1e-8


def column_blocks(X: Any, block_numbers: int = BLOCK_NUMBERS) -> Iterator[Array]:
    """Yield all columns in dense blocks, in double precision."""
    n_rows, n_columns = X.shape
    width = max(1, block_numbers // max(1, n_rows))
    by_column = X.tocsc() if issparse(X) else X
    for start in range(0, n_columns, width):
        block = by_column[:, start : start + width]
        yield np.asarray(block.toarray() if issparse(block) else block, dtype=np.float64)


def fit_standard(block: Array, weights: Array | None) -> Arrays:
    """Fit mean and deviation."""
    mean, deviation = mean_and_divisor(block, weights)
    return {"center": mean, "scale": deviation}


def apply_standard(rows: Array, arrays: Arrays) -> Array:
    """Subtract the centre and divide by the scale."""
    # float64 until after centring: a large offset would eat float32's digits.
    with np.errstate(over="ignore"):
        scaled: Array = np.subtract(rows, arrays["center"], dtype=np.float64)
        scaled /= arrays["scale"]
    np.clip(scaled, -LARGEST, LARGEST, out=scaled)
    return scaled.astype(np.float32)


def fit_robust(block: Array, weights: Array | None) -> Arrays:
    """Fit median and interquartile range."""
    _, deviation = mean_and_divisor(block, weights)
    low, middle, high = np.stack(
        [weighted_quantiles(column, weights, _QUARTILES) for column in block.T], axis=1
    )
    scale = high / _NORMAL_IQR - low / _NORMAL_IQR
    # A column that is mostly one value has no interquartile range; its deviation serves.
    return {"center": middle, "scale": np.where(scale > 0.0, scale, deviation)}


def apply_robust(rows: Array, arrays: Arrays) -> Array:
    """Standardise, then bring far values near: z / sqrt(1 + (z / 3)²)."""
    scaled = apply_standard(rows, arrays)
    damping = np.square(scaled)
    damping *= 1.0 / SMOOTH_CLIP**2
    damping += 1.0
    scaled /= np.sqrt(damping, out=damping)
    return scaled


def fit_quantile(block: Array, weights: Array | None) -> Arrays:
    """Fit up to 1,000 quantiles, and their levels."""
    levels = np.linspace(0.0, 1.0, min(_N_QUANTILES, len(block)) if len(block) > 1 else 2)
    columns = [weighted_quantiles(column, weights, levels) for column in block.T]
    return {
        "quantiles": np.stack(columns, axis=1),
        "levels": np.tile(levels[:, None], len(columns)),
    }


def apply_quantile(rows: Array, arrays: Arrays) -> Array:
    """Turn values into levels, and these into quantiles of a standard normal distribution."""
    levels = arrays["levels"][:, 0]
    scaled = np.empty(rows.shape)
    for column, quantiles in enumerate(arrays["quantiles"].T):
        # Equal values get the middle of their levels: the mean of the two one-sided inverses.
        values = rows[:, column].astype(np.float64)
        upper = np.interp(values, quantiles, levels)
        lower = -np.interp(-values, -quantiles[::-1], -levels[::-1])
        scaled[:, column] = 0.5 * (upper + lower)
    # Half a level from either end keeps the normal quantile finite.
    margin = 0.5 / len(levels)
    normal: Array = ndtri(np.clip(scaled, margin, 1.0 - margin))
    return normal


def fit_bins(block: Array, weights: Array | None) -> Arrays:
    """Fit quantile bins, and the mean and the deviation of the columns made from them."""
    levels = np.linspace(0.0, 1.0, N_BINS + 1)
    # Halves, whose differences cannot overflow. A column of few values has fewer bins, none empty.
    edges = [0.5 * np.unique(weighted_quantiles(column, weights, levels)) for column in block.T]
    edges = [np.repeat(each, 2) if len(each) == 1 else each for each in edges]
    arrays = {
        "counts": np.array([len(each) - 1 for each in edges]),
        "lows": np.concatenate([each[:-1] for each in edges]),
        "widths": np.concatenate([np.diff(each) for each in edges]),
    }
    center, scale = mean_and_divisor(_positions_in_bins(block, arrays), weights)
    return {**arrays, "center": center, "scale": scale}


def apply_bins(rows: Array, arrays: Arrays) -> Array:
    """Encode values piecewise linearly, and standardise the columns."""
    standard: Array = (_positions_in_bins(rows, arrays) - arrays["center"]) / arrays["scale"]
    return standard


def _positions_in_bins(rows: Array, arrays: Arrays) -> Array:
    """Return the position of each value in each bin of its column: 0 before it, 1 behind it."""
    widths = arrays["widths"]
    halves = np.repeat(np.multiply(rows, 0.5, dtype=np.float64), arrays["counts"], axis=1)
    with np.errstate(over="ignore"):
        positions = (halves - arrays["lows"]) / np.where(widths > 0.0, widths, np.inf)
    return np.asarray(np.clip(positions, 0.0, 1.0))


def apply_robust_and_quantile(rows: Array, arrays: Arrays) -> Array:
    """Put the columns of both scalings side by side."""
    return np.hstack([apply_robust(rows, arrays), apply_quantile(rows, arrays)])


def direction_blocks(X: Any, block_numbers: int = BLOCK_NUMBERS) -> Iterator[Array]:
    """Yield the columns of rows divided by their length; a row of zeros stays one."""
    # In units of the largest entry, whose square cannot overflow.
    sizes = np.zeros((X.shape[0], 1))
    for block in column_blocks(X, block_numbers):
        np.maximum(sizes, np.abs(block).max(axis=1, keepdims=True), out=sizes)
    sizes[sizes == 0.0] = 1.0
    squares = np.zeros_like(sizes)
    for block in column_blocks(X, block_numbers):
        squares += np.square(block / sizes).sum(axis=1, keepdims=True)
    lengths = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    for block in column_blocks(X, block_numbers):
        yield block / sizes / lengths


def fit_direction(block: Array, weights: Array | None) -> Arrays:
    """Fit the robust scaling to columns of directions."""
    fitted = fit_robust(block, weights)
    constant = fitted["scale"] <= _CONSTANT_DIRECTION * np.abs(fitted["center"])
    return {
        "direction_center": fitted["center"],
        "direction_scale": np.where(constant, 1.0, fitted["scale"]),
    }


def apply_robust_and_direction(rows: Array, arrays: Arrays) -> Array:
    """Put rows and their directions side by side, each with its robust scaling."""
    of_directions = {key: arrays[f"direction_{key}"] for key in ("center", "scale")}
    directions = np.hstack(list(direction_blocks(rows)))
    return np.hstack([apply_robust(rows, arrays), apply_robust(directions, of_directions)])
