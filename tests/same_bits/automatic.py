"""The automatic models: a small portfolio on four tables, and the built-in one on very few rows.

The budget is never in seconds: what is tried must not depend on how fast the machine is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from tests.same_bits import data
from tests.same_bits.plain import Outputs

SMALL: dict[str, Any] = {
    "method": "askl",
    "n_components": 32,
    "activation": "cosine",
    "density": "sparse",
    "phases": "shared",
    "optimizer": "adam",
    "learning_rate": 0.01,
    "head_learning_rate": 0.05,
    "schedule": "cosine",
    "batch_size": 32,
    "max_epochs": 6,
    "dropout": 0.1,
    "scale_inputs": "robust",
}
PORTFOLIO: dict[str, Any] = {
    "one layer": SMALL,
    "stacked": {**SMALL, "hidden_components": (16,), "n_components": 16},
    "quantiles": {**SMALL, "scale_inputs": "quantile", "density": "pairs"},
    "weighed": {**SMALL, "scale_inputs": "standard", "weigh_inputs": True},
}


def make(kind: Any, **options: Any) -> Any:
    named = {"time_budget": "auto", "max_members": 4, "n_threads": 1, "random_state": 0}
    return kind(**{**named, "portfolio": PORTFOLIO, **options})


def see(model: Any, new: Any) -> Outputs:
    if isinstance(model, AutoSpectralKernelClassifier):
        outputs = {"predict_proba": model.predict_proba(new), "predict": model.predict(new)}
    else:
        mean, deviation = model.predict(new, return_std=True)
        outputs = {"predict": mean, "return_std": deviation}
    return {**outputs, "transform": model.transform(new), "kernel": model.kernel(new)}


def fit_table() -> Outputs:
    X, y, new = data.table_classes()
    weights = np.linspace(0.5, 1.5, len(y))
    return see(make(AutoSpectralKernelClassifier).fit(X, y, weights), new)


def fit_places() -> Outputs:
    X, y, new = data.places()
    model = make(AutoSpectralKernelRegressor).fit(X, y)
    if model.neighbours_ is None:
        raise RuntimeError("No columns were found to be a place.")
    return see(model, new)


def fit_sensors() -> Outputs:
    X, y, new = data.sensors()
    model = make(AutoSpectralKernelClassifier).fit(X, y)
    if model.spreads_ is None:
        raise RuntimeError("No similarly distributed columns were found.")
    return see(model, new)


def fit_two_targets() -> Outputs:
    X, y, new = data.two_targets()
    rough = {**SMALL, "refit_head": False, "scale_targets": "log", "activation": "relu"}
    model = make(AutoSpectralKernelRegressor, portfolio={**PORTFOLIO, "rough": rough})
    return see(model.fit(X, y), new)


def fit_built_in_classes() -> Outputs:
    X, y, new = data.iris()
    model = make(AutoSpectralKernelClassifier, portfolio=None)
    return see(model.fit(X[:60], y[:60]), new)


def fit_built_in_numbers() -> Outputs:
    X, y, new = data.diabetes()
    model = make(AutoSpectralKernelRegressor, portfolio=None)
    return see(model.fit(X[:60, :4], y[:60]), new[:, :4])


def fit_built_in_symmetries() -> Outputs:
    X, y, new = data.exchangeable()
    model = make(AutoSpectralKernelRegressor, portfolio=None)
    model.fit(X, y)
    if not model.symmetries_:
        raise RuntimeError("No columns were found to be exchangeable.")
    return see(model, new)


AUTOMATIC: dict[str, Callable[[], Outputs]] = {
    "automatic: table of strings, dates and gaps": fit_table,
    "automatic: places": fit_places,
    "automatic: sensors": fit_sensors,
    "automatic: two targets": fit_two_targets,
    "automatic: built-in portfolio, classes": fit_built_in_classes,
    "automatic: built-in portfolio, numbers": fit_built_in_numbers,
    "automatic: built-in portfolio, symmetries": fit_built_in_symmetries,
}
