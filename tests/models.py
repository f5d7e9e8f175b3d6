"""Small, quick estimators for the tests to take apart."""

from __future__ import annotations

from typing import Any

from askl import SpectralFeatures, SpectralKernelClassifier, SpectralKernelRegressor

SMALL: dict[str, Any] = {"n_components": 60, "max_epochs": 10, "random_state": 0}


def classifier(method: str = "askl", **parameters: Any) -> SpectralKernelClassifier:
    return SpectralKernelClassifier(method, **{**SMALL, **parameters})


def regressor(method: str = "askl", **parameters: Any) -> SpectralKernelRegressor:
    return SpectralKernelRegressor(method, **{**SMALL, **parameters})


def with_trained_head(make: Any, **parameters: Any) -> Any:
    """Make an estimator whose head is the one that training ended with."""
    return make(**parameters, **({"refit_head": False} if make is regressor else {}))


def transformer(method: str = "askl", **parameters: Any) -> SpectralFeatures:
    return SpectralFeatures(method, **{**SMALL, **parameters})
