"""What users give to an automatic model, checked, and what its members take of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from askl._typing import Array
from askl.preprocessing.frames import is_frame, keep_objects


class Encoder(Protocol):
    """A fitted encoder: from rows, or the columns of the encoder before it, to numbers."""

    def transform(self, X: Any) -> Array:
        """Encode rows."""

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the columns of :meth:`transform`."""

    def source_columns(self) -> list[tuple[int, ...]]:
        """Return for each column of :meth:`transform` those of the input it is made of."""


def check_training_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array | None]:
    """Check rows to train on and their weights; data frames and objects stay as they are."""
    if is_frame(X):
        validate_data(model, X, skip_check_array=True)
        if len(X) != len(np.asarray(y)):
            raise ValueError(f"X has {len(X)} rows, but y has {len(np.asarray(y))}.")
    else:
        X = validate_data(
            model,
            keep_objects(X),
            accept_sparse="csr",
            dtype=None,
            ensure_all_finite="allow-nan",
        )
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    return X, sample_weight


def check_rows(model: Any, X: Any, *, has_table: bool) -> Any:
    """Check new rows; those for a table encoder may hold whatever it knows."""
    if is_frame(X):
        validate_data(model, X, reset=False, skip_check_array=True)
        return X if has_table else X.to_numpy()
    return validate_data(
        model,
        keep_objects(X) if has_table else X,
        reset=False,
        accept_sparse="csr",
        dtype=None if has_table else "numeric",
        ensure_all_finite="allow-nan" if has_table else True,
    )


def encode(encoders: Iterable[Encoder], X: Any) -> Any:
    """Send rows through all encoders."""
    for encoder in encoders:
        X = encoder.transform(X)
    return X


def name_columns(encoders: Iterable[Encoder], names: Array) -> Array:
    """Name the columns after all encoders."""
    for encoder in encoders:
        names = encoder.get_feature_names_out(names)
    return np.asarray(names)


def trace_columns(encoders: Iterable[Encoder], n_features: int) -> list[tuple[int, ...]]:
    """Return for each column after all encoders the columns of the table it is made of."""
    sources: list[tuple[int, ...]] = [(column,) for column in range(n_features)]
    for encoder in encoders:
        sources = [
            tuple(sorted({source for column in columns for source in sources[column]}))
            for columns in encoder.source_columns()
        ]
    return sources
