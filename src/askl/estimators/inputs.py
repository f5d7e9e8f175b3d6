"""From arrays to scaled tensors: all rows at once, some on demand, or block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor

from askl._typing import Array
from askl.preprocessing.input_scaling import Scaling

# Inputs that take more bytes than this in float32 are scaled batch by batch.
EAGER_BYTES = 2**29
# The size of a block: this many numbers stay in the cache, but it has at least a few rows.
BLOCK_NUMBERS = 2**17
BLOCK_ROWS = 256
# Matrix products of fewer rows are rounded in another way on some processors.
MIN_PREDICTED_ROWS = 4


def input_rows(
    X: Any, scaling: Scaling, device: torch.device, *, eager_bytes: int = EAGER_BYTES
) -> Tensor | Callable[[Tensor], Tensor]:
    """Return the scaled inputs, or a function of row indices where they are large.

    Sparse matrices and memory-mapped arrays are never made dense as a whole.
    """
    if not issparse(X) and not is_mapped(X) and 4 * X.shape[0] * X.shape[1] <= eager_bytes:
        n_scaled = len(scaling.sources(X.shape[1]))
        scaled = np.empty((X.shape[0], n_scaled), dtype=np.float32)
        for rows in row_blocks(X):
            scaled[rows] = scaling.apply(X[rows])
        return torch.from_numpy(scaled).to(device)

    def take(index: Tensor) -> Tensor:
        return torch.from_numpy(scaling.apply(X[index.numpy()])).to(device)

    return take


def is_mapped(X: Any) -> bool:
    """Return whether an array, or the array that it is a view of, lives in a file."""
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        X = getattr(X, "base", None)
    return False


def row_blocks(
    X: Any, *, block_numbers: int = BLOCK_NUMBERS, block_rows: int = BLOCK_ROWS
) -> Iterator[slice]:
    """Yield slices of rows: each of about ``block_numbers``, but of at least ``block_rows`` rows.

    Examples
    --------
    >>> list(row_blocks(np.zeros((5, 10)), block_numbers=30, block_rows=2))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    n_rows = max(block_rows, block_numbers // X.shape[1])
    for start in range(0, X.shape[0], n_rows):
        yield slice(start, min(start + n_rows, X.shape[0]))


def scaled_blocks(
    X: Any, scaling: Scaling, device: torch.device, **block_size: int
) -> Iterator[tuple[slice, Tensor]]:
    """Yield (rows, scaled inputs) in the blocks of :func:`row_blocks`."""
    for rows in row_blocks(X, **block_size):
        yield rows, torch.from_numpy(scaling.apply(X[rows])).to(device)


def prediction_blocks(
    X: Any, scaling: Scaling, device: torch.device, **block_size: int
) -> Iterator[tuple[slice | Array, Tensor]]:
    """Yield (rows, scaled inputs) in blocks that all have enough rows to be rounded alike.

    The rows of a smaller block are repeated, so that the prediction of a row does not depend on
    how many others are predicted together with it.
    """
    for block in row_blocks(X, **block_size):
        repeated = np.resize(np.arange(block.start, block.stop), MIN_PREDICTED_ROWS)
        rows = block if block.stop - block.start >= MIN_PREDICTED_ROWS else repeated
        yield rows, torch.from_numpy(scaling.apply(X[rows])).to(device)


def as_tensor(array: Array, device: torch.device) -> Tensor:
    """Share the memory of an array with torch; copy an array that must not be written."""
    return torch.from_numpy(array if array.flags.writeable else array.copy()).to(device)


def normalized_weights(sample_weight: Array | None, device: torch.device) -> Tensor | None:
    """Scale sample weights to mean one, so that penalties keep their meaning."""
    if sample_weight is None:
        return None
    scaled = sample_weight / sample_weight.mean()
    return torch.from_numpy(np.asarray(scaled, dtype=np.float32)).to(device)
