"""Drawing without a screen, and fitted models to draw."""

from __future__ import annotations

import matplotlib
import pytest
from matplotlib import pyplot

from askl.theory import BoundRecorder
from tests.models import classifier, regressor


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
