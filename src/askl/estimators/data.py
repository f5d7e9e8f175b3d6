"""From users' arrays to training rows: eager where small, row by row where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.sparse import issparse
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data
from torch import Tensor

from askl.estimators.columns import frame_columns, frame_names, is_frame, kind_of
from askl.estimators.scaling import Array, Scaling

# Inputs whose scaled copy would be larger than this are scaled batch by batch.
EAGER_BYTES = 2**29
# A block of inputs to scale, in numbers and at least in rows: it should stay in cache.
BLOCK_NUMBERS = 2**17
BLOCK_ROWS = 256
LEAST_BLOCK_ROWS = 4
MANY_FLOATS = 20
MANY_INTEGERS = 100


def validate_numbers(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Check inputs, and targets where given; of a table that is not numbers, say what takes it."""
    try:
        checked = validate_data(estimator, X, *y, accept_sparse="csr", dtype="numeric", **options)
        inputs, *targets = checked if y else (checked,)
        if inputs.dtype.kind == "O":  # pandas' categories come through as they are
            inputs = inputs.astype(np.float64)
    except (TypeError, ValueError) as error:
        reason = _why_not_numbers(X, str(error).split("\n")[0].rstrip("."))
        if not reason:
            raise
        name = type(estimator).__name__
        raise ValueError(
            f"{reason}. {name} takes numbers only; make_table_pipeline({name}()) takes text, "
            "categories, dates and missing values too, as the automatic models do."
        ) from error
    return (inputs, *targets) if y else inputs


def _why_not_numbers(X: Any, message: str) -> str:
    """Say what of a table is no number; nothing where that is not what is wrong with it."""
    if is_frame(X):
        contents = {"category": "text or categories", "date": "dates"}
        for name, column in zip(frame_names(X), frame_columns(X), strict=True):
            if kind_of(column) in contents:
                return f"Column {str(name)!r} of X holds {contents[kind_of(column)]}"
    is_text = "could not convert string" in message and np.asarray(X).dtype.kind in "OUS"
    return message if is_text or message.startswith("Input X contains NaN") else ""


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


def scaled_blocks(
    X: Any, scaling: Scaling, device: torch.device
) -> Iterator[tuple[slice | Array, Tensor]]:
    """Yield (rows, scaled inputs) in blocks of bounded size, for prediction.

    Rows of a very small block are there more than once: of fewer, matrix products round otherwise
    on some processors, and what is said of a row would depend on how many are asked for.
    """
    for block in row_blocks(X):
        n_rows = block.stop - block.start
        few = np.resize(np.arange(block.start, block.stop), LEAST_BLOCK_ROWS)
        rows = few if n_rows < LEAST_BLOCK_ROWS else block
        yield rows, torch.from_numpy(scaling.apply(X[rows])).to(device)


def is_regression(y: Any) -> bool:
    """Say whether targets look like numbers to predict rather than labels.

    Fractions are numbers; so are floats, or very many integers, with many distinct values.

    Examples
    --------
    >>> is_regression([0.5, 1.25]), is_regression(["a", "b"]), is_regression([0, 1, 2])
    (True, False, False)
    """
    y = np.asarray(y)
    if str(type_of_target(y, raise_unknown=True)).startswith("continuous"):
        return True
    distinct = len(np.unique(y)) if y.dtype.kind in "iuf" else 0
    return distinct > (MANY_FLOATS if y.dtype.kind == "f" else max(MANY_INTEGERS, len(y) // 4))


def normalized_weights(sample_weight: Array | None, device: torch.device) -> Tensor | None:
    """Bring sample weights to mean one, so that penalties keep their meaning."""
    if sample_weight is None:
        return None
    scaled = sample_weight / sample_weight.mean()
    return torch.from_numpy(np.asarray(scaled, dtype=np.float32)).to(device)


def drop_zero_weights(X: Any, y: Array, weights: Array | None) -> tuple[Any, Array, Array | None]:
    """Leave out rows of weight zero, which must not show in scaling or batches."""
    if weights is None:
        return X, y, None
    kept = weights > 0.0
    if not kept.any():
        raise ValueError("All sample weights are zero. Give at least one row a positive weight.")
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])
