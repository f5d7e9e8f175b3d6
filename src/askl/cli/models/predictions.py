"""Predictions as named columns: values, probabilities or intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

from askl._typing import Array
from askl.cli.tabular.output_tables import Columns
from askl.errors import AsklError


def choose_outputs(
    model: Any, *, probabilities: bool, intervals: float | None
) -> Callable[[Any], Columns]:
    """Return the function from inputs to named columns; raise if the model has no such output."""
    classifies = hasattr(model, "classes_")
    if intervals is not None:
        if classifies:
            raise AsklError("--intervals is for regression. Use --probabilities for classes.")
        return lambda X: with_intervals(model, X, intervals)
    if probabilities:
        if not classifies:
            raise AsklError("--probabilities is for classification. Use --intervals for numbers.")
        if not hasattr(model, "predict_proba"):
            raise AsklError("This model gives no probabilities. Fit one with --set loss=log.")
        return lambda X: _with_probabilities(model, X)
    return lambda X: _named("prediction", model.predict(X))


def with_intervals(model: Any, X: Any, share: float) -> Columns:
    """Predict numbers with the ends of their predictive intervals, which hold a share of rows."""
    try:
        mean, deviation = model.predict(X, return_std=True)
    except TypeError as error:
        raise AsklError("This model gives no intervals. Fit with --method askl.") from error
    reach = ndtri(0.5 + 0.5 * share) * deviation
    return {
        **_named("prediction", mean),
        **_named("lower", mean - reach),
        **_named("upper", mean + reach),
    }


def _with_probabilities(model: Any, X: Any) -> Columns:
    shares = model.predict_proba(X)
    named = {
        f"probability_{label}": shares[:, position] for position, label in enumerate(model.classes_)
    }
    return {"prediction": model.classes_[shares.argmax(axis=1)], **named}


def _named(name: str, values: Array) -> Columns:
    if values.ndim == 1:
        return {name: values}
    return {f"{name}_{position}": column for position, column in enumerate(values.T)}


def needs_quotes(model: Any) -> bool:
    """Return True if a class label holds a character that CSV must quote."""
    labels = getattr(model, "classes_", np.array([]))
    return any(mark in str(label) for label in labels for mark in ',"\r\n')
