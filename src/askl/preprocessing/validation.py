"""Checks of inputs, targets and sample weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from askl._typing import Array
from askl.preprocessing.column_types import kind_of
from askl.preprocessing.frames import frame_columns, frame_names, is_frame

# Targets with more distinct values than this are numbers to predict, not labels.
MANY_FLOATS = 20
MANY_INTEGERS = 100


def validate_numbers(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """Check inputs, and targets where given, and return them as scikit-learn does.

    Where X is a table that holds more than numbers, the error names what it holds, and which
    estimators accept it.
    """
    try:
        checked = validate_data(estimator, X, *y, accept_sparse="csr", dtype="numeric", **options)
        inputs, *targets = checked if y else (checked,)
        if inputs.dtype.kind == "O":  # categories of pandas are not converted
            inputs = inputs.astype(np.float64)
        if inputs.dtype.kind in "mM":
            raise ValueError(f"X holds values of type {inputs.dtype}, not numbers.")
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
    """Describe what in a table is not a number; empty where the error has another cause."""
    if is_frame(X):
        contents = {"category": "text or categories", "date": "dates"}
        for name, column in zip(frame_names(X), frame_columns(X), strict=True):
            if kind_of(column) in contents:
                return f"Column {str(name)!r} of X holds {contents[kind_of(column)]}"
    kind = "" if hasattr(X, "tocsr") else np.asarray(X).dtype.kind
    if kind in {"U", "S"}:
        return "X holds text"
    is_text = kind == "O" and "could not convert string" in message
    return message if is_text or message.startswith("Input X contains NaN") else ""


def is_regression(y: Any) -> bool:
    """Return True if targets look like numbers to predict rather than labels.

    Fractions do, and so do whole numbers with many distinct values.

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
    """Leave out rows of weight zero, which must have no effect on scaling or batches."""
    if weights is None:
        return X, y, None
    kept = weights > 0.0
    if not kept.any():
        raise ValueError("All sample weights are zero. Give at least one row a positive weight.")
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def check_eval_set(estimator: Any, eval_set: Any) -> tuple[Any, Array]:
    """Validate the rows that a user holds out, and return them as inputs and targets."""
    if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2:
        raise ValueError(
            f"The 'eval_set' argument of {type(estimator).__name__}.fit must be a tuple (X, y). "
            f"Got {type(eval_set).__name__} instead."
        )
    X, y = eval_set
    X = validate_numbers(estimator, X, reset=False)
    check_consistent_length(X, y)
    return X, np.asarray(y)
