"""One call of ``fit`` each: the methods and the options of the classifier and the regressor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from tests.same_bits import data
from tests.same_bits.data import Data

Outputs = dict[str, Any]  # arrays by name, such as "predict"

COMMON: dict[str, Any] = {
    "method": "askl",
    "n_components": 48,
    "hidden_components": (),
    "activation": "cosine",
    "frequency_scale": "auto",
    "density": "sparse",
    "phases": "shared",
    "head_penalty": None,
    "feature_penalty": None,
    "optimizer": "adam",
    "learning_rate": 0.01,
    "head_learning_rate": 0.05,
    "schedule": "cosine",
    "batch_size": 32,
    "max_epochs": 4,
    "dropout": 0.1,
    "input_noise": 0.0,
    "symmetries": None,
    "early_stopping": False,
    "validation_fraction": 0.1,
    "n_iter_no_change": 5,
    "scale_inputs": "robust",
    "decorrelate_inputs": False,
    "weigh_inputs": False,
    "n_threads": 1,
    "random_state": 0,
}
CLASSES: dict[str, Any] = {**COMMON, "loss": "smoothed_log", "class_weight": None}
NUMBERS: dict[str, Any] = {
    **COMMON,
    "loss": "squared",
    "scale_targets": "standard",
    "refit_head": True,
}


def classifier(**options: Any) -> SpectralKernelClassifier:
    return SpectralKernelClassifier(**{**CLASSES, **options})


def regressor(**options: Any) -> SpectralKernelRegressor:
    return SpectralKernelRegressor(**{**NUMBERS, **options})


def see_classes(model: Any, new: Any) -> Outputs:
    """Return what a fitted classifier predicts for new rows."""
    outputs = {"decision_function": model.decision_function(new), "predict": model.predict(new)}
    if hasattr(model, "predict_proba"):
        outputs["predict_proba"] = model.predict_proba(new)
    return outputs


def see_numbers(model: Any, new: Any, *, has_std: bool = True) -> Outputs:
    """Return what a fitted regressor predicts for new rows."""
    if not has_std:
        return {"predict": model.predict(new)}
    mean, deviation = model.predict(new, return_std=True)
    return {"predict": mean, "return_std": deviation}


def fit_classes(load: Callable[[], Data], **options: Any) -> Outputs:
    X, y, new = load()
    return see_classes(classifier(**options).fit(X, y), new)


def fit_numbers(load: Callable[[], Data], **options: Any) -> Outputs:
    X, y, new = load()
    model = regressor(**options).fit(X, y)
    return see_numbers(model, new, has_std=options.get("refit_head", True))


def fit_weighted_classes() -> Outputs:
    X, y, new = data.wine()
    weights = np.linspace(0.0, 2.0, len(y))
    return see_classes(classifier(class_weight="balanced").fit(X, y, weights), new)


def fit_weighted_numbers() -> Outputs:
    X, y, new = data.diabetes()
    return see_numbers(regressor().fit(X, y, np.linspace(0.0, 2.0, len(y))), new)


def fit_sparse() -> Outputs:
    X, y, new = data.digits()
    model = classifier(scale_inputs="none", frequency_scale=0.05, learning_rate=1e-3)
    return see_classes(model.fit(csr_matrix(X), y), csr_matrix(new))


SWAP = [(1, 0, 2, 3)]
# The exact head of these few columns would choose next to no regularisation, and so show a
# thousand times more of the rounding than others do.
KNOWN_STRENGTH: dict[str, Any] = {"head_norm": "frobenius", "head_penalty": 1e-3}
OPTIONS_OF_CLASSES: dict[str, tuple[Callable[[], Data], dict[str, Any]]] = {
    "sk": (data.iris, {"method": "sk"}),
    "nsk": (data.wine, {"method": "nsk"}),
    "skl": (data.breast_cancer, {"method": "skl"}),
    "nskl": (data.digits, {"method": "nskl"}),
    "askl": (data.iris, {}),
    "stacked": (data.breast_cancer, {"hidden_components": (24,), "learning_rate": "auto"}),
    "paired, hinge loss": (data.iris, {"activation": "paired", "loss": "hinge"}),
    "sigmoid, log loss": (data.wine, {"activation": "sigmoid", "loss": "log"}),
    "gaussian density, independent phases, quantiles": (
        data.breast_cancer,
        {"density": "gaussian", "phases": "independent", "scale_inputs": "quantile"},
    ),
    "sgd at a constant rate, standard scale": (
        data.digits,
        {
            "optimizer": "sgd",
            "learning_rate": 1.0,
            "head_learning_rate": 0.5,
            "schedule": "constant",
            "scale_inputs": "standard",
        },
    ),
    "adadelta, bins": (
        data.iris,
        {
            "optimizer": "adadelta",
            "learning_rate": 5.0,
            "head_learning_rate": 5.0,
            "scale_inputs": "bins",
        },
    ),
    "decorrelated, directions": (
        data.wine,
        {"decorrelate_inputs": True, "scale_inputs": "robust+direction"},
    ),
    "weighed, quantiles too": (
        data.breast_cancer,
        {"weigh_inputs": True, "scale_inputs": "robust+quantile", "max_epochs": 8},
    ),
    "symmetries, input noise": (
        data.exchangeable_classes,
        {"symmetries": SWAP, "input_noise": 0.3},
    ),
    "early stopping, no dropout": (
        data.breast_cancer,
        {"early_stopping": True, "n_iter_no_change": 1, "max_epochs": 12, "dropout": 0.0},
    ),
}
OPTIONS_OF_NUMBERS: dict[str, tuple[Callable[[], Data], dict[str, Any]]] = {
    "sk": (data.diabetes, {"method": "sk"}),
    "nsk": (data.diabetes, {"method": "nsk"}),
    "skl": (data.diabetes, {"method": "skl"}),
    "nskl": (data.diabetes, {"method": "nskl", "head_penalty": 1e-3}),
    "askl": (data.diabetes, {}),
    "relu, pairs, bins": (
        data.diabetes,
        {"activation": "relu", "density": "pairs", "scale_inputs": "bins"},
    ),
    "stacked, weighed, decorrelated": (
        data.diabetes,
        {"hidden_components": (24,), "weigh_inputs": True, "decorrelate_inputs": True},
    ),
    "log targets, head not refitted": (
        data.prices,
        {"scale_targets": "log", "refit_head": False},
    ),
    "log targets, early stopping": (
        data.prices,
        {
            "scale_targets": "log",
            "early_stopping": True,
            "n_iter_no_change": 1,
            "max_epochs": 12,
            "learning_rate": 0.2,  # so fast that scores on held-out rows soon fall
        },
    ),
    "two targets": (data.two_targets, {}),
    "symmetries, quantiles": (
        data.exchangeable,
        {**KNOWN_STRENGTH, "symmetries": SWAP, "scale_inputs": "quantile"},
    ),
}

PLAIN: dict[str, Callable[[], Outputs]] = {
    **{
        f"classes: {name}": partial(fit_classes, load, **options)
        for name, (load, options) in OPTIONS_OF_CLASSES.items()
    },
    "classes: weights of rows and classes": fit_weighted_classes,
    "classes: sparse input": fit_sparse,
    **{
        f"numbers: {name}": partial(fit_numbers, load, **options)
        for name, (load, options) in OPTIONS_OF_NUMBERS.items()
    },
    "numbers: weights of rows": fit_weighted_numbers,
}
