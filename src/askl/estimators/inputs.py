"""From users' arrays to training rows: all at once where small, row by row where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from torch import Tensor

from askl._typing import Array
from askl.preprocessing.input_scaling import Scaling

# Inputs whose scaled copy would be larger than this are scaled batch by batch.
EAGER_BYTES = 2**29


# A block of inputs to scale, in numbers and at least in rows: it should stay in cache.
BLOCK_NUMBERS = 2**17


BLOCK_ROWS = 256


LEAST_BLOCK_ROWS = 4


def input_rows(
    X: Any, scaling: Scaling, device: torch.device
) -> Tensor | Callable[[Tensor], Tensor]:
    """Return scaled inputs as a tensor, or as a function of row indices where X is large.

    Sparse matrices and memory-mapped arrays are never made dense as a whole.
    """
    if not issparse(X) and not is_mapped(X) and 4 * X.shape[0] * X.shape[1] <= EAGER_BYTES:
        n_scaled = len(scaling.sources(X.shape[1]))
        scaled = np.empty((X.shape[0], n_scaled), dtype=np.float32)
        for rows in row_blocks(X):
            scaled[rows] = scaling.apply(X[rows])
        return torch.from_numpy(scaled).to(device)

    def take(index: Tensor) -> Tensor:
        return torch.from_numpy(scaling.apply(X[index.numpy()])).to(device)

    return take


def as_tensor(array: Array, device: torch.device) -> Tensor:
    """Share an array's memory with torch, or copy what must not be written."""
    return torch.from_numpy(array if array.flags.writeable else array.copy()).to(device)


def is_mapped(X: Any) -> bool:
    """Say whether an array, or what it is a view of, lives in a file."""
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        X = getattr(X, "base", None)
    return False


def row_blocks(X: Any) -> Iterator[slice]:
    """Yield slices of rows whose blocks stay in cache."""
    n_rows = max(BLOCK_ROWS, BLOCK_NUMBERS // X.shape[1])
    for start in range(0, X.shape[0], n_rows):
        yield slice(start, min(start + n_rows, X.shape[0]))


def scaled_blocks(X: Any, scaling: Scaling, device: torch.device) -> Iterator[tuple[slice, Tensor]]:
    """Yield (rows, scaled inputs) in blocks of bounded size."""
    for rows in row_blocks(X):
        yield rows, torch.from_numpy(scaling.apply(X[rows])).to(device)


def prediction_blocks(
    X: Any, scaling: Scaling, device: torch.device
) -> Iterator[tuple[slice | Array, Tensor]]:
    """Yield (rows, scaled inputs) in blocks of at least a few rows.

    The rows of a very small block are repeated: some processors round the products of matrices
    with fewer rows in another way, and the prediction of a row must not depend on how many
    others it comes with.
    """
    for block in row_blocks(X):
        n_rows = block.stop - block.start
        few = np.resize(np.arange(block.start, block.stop), LEAST_BLOCK_ROWS)
        rows = few if n_rows < LEAST_BLOCK_ROWS else block
        yield rows, torch.from_numpy(scaling.apply(X[rows])).to(device)


def normalized_weights(sample_weight: Array | None, device: torch.device) -> Tensor | None:
    """Bring sample weights to mean one, so that penalties keep their meaning."""
    if sample_weight is None:
        return None
    scaled = sample_weight / sample_weight.mean()
    return torch.from_numpy(np.asarray(scaled, dtype=np.float32)).to(device)
