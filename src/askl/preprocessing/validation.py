"""Checks of what users give: inputs, targets and sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from askl._typing import Array
from askl.preprocessing.column_types import frame_columns, frame_names, is_frame, kind_of

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


def drop_zero_weights(X: Any, y: Array, weights: Array | None) -> tuple[Any, Array, Array | None]:
    """Leave out rows of weight zero, which must not show in scaling or batches."""
    if weights is None:
        return X, y, None
    kept = weights > 0.0
    if not kept.any():
        raise ValueError("All sample weights are zero. Give at least one row a positive weight.")
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])
