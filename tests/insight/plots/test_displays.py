"""Every display, on every kind of model that it is for."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.sparse import csr_matrix

from askl.insight import plots
from tests.models import classifier

# How each display is made of (estimator, X, y).
MADE = {
    "BoundTrajectoryDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
    "DecisionRegionsDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, X, y, **ax),
    "FeatureEmbeddingDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, X, y, **ax),
    "FeatureRelevanceDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
    "KernelDiagonalDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, X, **ax),
    "KernelMapDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, X, **ax),
    "KernelMatrixDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, X, y, **ax),
    "MarginalDensityDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
    "SingularValuesDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
    "SpectralDensityDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
    "TrainingCurvesDisplay": lambda cls, model, X, y, **ax: cls.from_estimator(model, **ax),
}


def make(name, *arguments, **options):
    return MADE[name](getattr(plots, name), *arguments, **options)


def test_every_display_is_tested():
    assert set(MADE) == {name for name in plots.__all__ if name.endswith("Display")} - {"Display"}


@pytest.mark.parametrize("name", MADE)
def test_a_display_draws_on_the_axes_it_is_given(name, fitted_classifier, classes):
    figure = Figure()
    given = figure.add_subplot()
    display = make(name, fitted_classifier, *classes, ax=given)
    assert display.ax_ is given
    assert display.figure_ is figure
    assert given.has_data()
    assert given.get_ylabel() or given.get_yticklabels()


@pytest.mark.parametrize("name", MADE)
def test_a_display_makes_axes_and_draws_again(name, fitted_classifier, classes):
    display = make(name, fitted_classifier, *classes)
    first = display.ax_
    assert display.plot() is display
    assert display.ax_ is not first
    assert len(display.ax_.get_children()) == len(first.get_children())


@pytest.mark.parametrize("name", sorted(set(MADE) - {"BoundTrajectoryDisplay"}))
def test_an_automatic_model_can_be_drawn(name, auto_classifier, named_classes):
    assert make(name, auto_classifier, *named_classes).ax_.has_data()


@pytest.mark.parametrize("name", sorted(set(MADE) - {"BoundTrajectoryDisplay"}))
def test_a_regression_can_be_drawn(name, fitted_regressor, numbers):
    assert make(name, fitted_regressor, *numbers).ax_.has_data()


@pytest.mark.parametrize("kind", ["frame", "sparse", "stack", "copies", "strings"])
def test_inputs_and_models_of_all_kinds_can_be_drawn(kind, classes):
    X, y = classes
    parameters = {}
    if kind == "frame":
        X = pd.DataFrame(X, columns=["length", "width", "noise"])
    elif kind == "sparse":
        X = csr_matrix(X)
    elif kind == "strings":
        y = np.array(["low", "middle", "high"])[y]
    elif kind == "stack":
        parameters = {"hidden_components": (20,)}
    else:
        parameters = {"scale_inputs": "robust+quantile"}
    model = classifier(max_epochs=2, **parameters).fit(X, y)
    for name in sorted(set(MADE) - {"BoundTrajectoryDisplay"}):
        assert make(name, model, X, y).ax_.has_data()
    if kind == "frame":
        relevance = plots.FeatureRelevanceDisplay.from_estimator(model)
        assert set(relevance.names) == {"length", "width", "noise"}


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, askl, askl.insight.plots, askl.insight.report, askl.theory, askl.interop;"
    code += "sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_remedy_is_named(monkeypatch, fitted_classifier):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install askl\[plots\]"):
        plots.SingularValuesDisplay.from_estimator(fitted_classifier)
