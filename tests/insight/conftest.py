"""Drawing without a screen, and fitted models to draw."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.theory import BoundRecorder
from tests.models import classifier, regressor

SMALL = {"n_components": 32, "max_epochs": 4}
# The first is rectified, and in all ensembles of these the heaviest member may be.
MIXED = {
    "units": {**SMALL, "activation": "relu"},
    "waves": SMALL,
    "stack": {**SMALL, "hidden_components": (16,)},
}


@pytest.fixture(autouse=True)
def close_figures():
    matplotlib.use("agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def fitted_classifier(classes):
    X, y = classes
    recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    return classifier(callback=recorder, early_stopping=True).fit(X, y)


@pytest.fixture(scope="session")
def fitted_regressor(numbers):
    return regressor().fit(*numbers)


def automatic(kind: Any, portfolio: dict[str, Any] = MIXED) -> Any:
    return kind(time_budget=None, max_members=3, portfolio=portfolio, random_state=0)


@pytest.fixture(scope="session")
def named_classes(classes) -> tuple[np.ndarray, np.ndarray]:
    X, y = classes
    return X, np.array(["near", "middle", "far"])[y]


@pytest.fixture(scope="session")
def auto_classifier(named_classes):
    """An ensemble of rectified and spectral members on three numbers."""
    return automatic(AutoSpectralKernelClassifier).fit(*named_classes)


@pytest.fixture(scope="session")
def houses() -> tuple[pd.DataFrame, np.ndarray]:
    """A number with gaps, a text of few values, one of many, and a date; the price is in two."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": random.normal(size=240),
            "<color>": random.choice(["red", "green", "blue"], 240),
            "town": random.choice([f"town {i}" for i in range(40)], 240),
            "built": np.datetime64("2020-01-01") + random.integers(900, size=240),
        }
    )
    price = 2.0 * table["size"] + (table["<color>"] == "red")
    table.loc[::7, "size"] = np.nan
    return table, price.to_numpy()


@pytest.fixture(scope="session")
def auto_regressor(houses):
    return automatic(AutoSpectralKernelRegressor, {"waves": SMALL}).fit(*houses)


@pytest.fixture(scope="session")
def auto_rectified(numbers):
    """An ensemble without any spectral member."""
    units = {"units": {**SMALL, "activation": "relu"}}
    return automatic(AutoSpectralKernelRegressor, units).fit(*numbers)
