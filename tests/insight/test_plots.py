from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.integrate import trapezoid
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA

from askl.insight import plots
from askl.theory import BoundRecorder, as_drawn
from tests.models import classifier, regressor, transformer

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


def test_the_kernel_matrix_is_sorted_and_shows_what_was_learned(fitted_classifier, classes):
    X, y = classes
    order = np.argsort(y, kind="stable")
    after = plots.KernelMatrixDisplay.from_estimator(fitted_classifier, X, y)
    before = plots.KernelMatrixDisplay.from_estimator(fitted_classifier, X, y, before=True)
    np.testing.assert_allclose(after.matrix, fitted_classifier.kernel(X[order]))
    np.testing.assert_allclose(before.matrix, as_drawn(fitted_classifier).kernel(X[order]))
    np.testing.assert_array_equal(after.targets, np.sort(y))


def test_rows_beyond_the_limit_are_sampled(fitted_classifier, classes):
    display = plots.KernelMatrixDisplay.from_estimator(fitted_classifier, *classes, max_rows=50)
    assert display.matrix.shape == (50, 50)


def test_the_kernel_map_is_the_kernel_along_two_inputs(fitted_classifier, classes):
    X, _ = classes
    display = plots.KernelMapDisplay.from_estimator(
        fitted_classifier, X, center=X[3], features=(2, 0)
    )
    row, column = 10, 40
    other = X[3].copy()
    other[2], other[0] = display.plane.horizontal[column], display.plane.vertical[row]
    expected = fitted_classifier.kernel(other[None], X[3][None])[0, 0]
    assert display.values[row, column] == pytest.approx(expected)
    assert display.ax_.get_xlabel() == "input 2"


def test_a_stationary_diagonal_is_one_and_a_learned_one_is_not(classes):
    X, y = classes
    models = {method: classifier(method).fit(X, y) for method in ("skl", "nskl")}
    diagonals = plots.KernelDiagonalDisplay.from_estimators(models, X).diagonals
    np.testing.assert_allclose(diagonals["skl"], 1.0)
    assert diagonals["nskl"].std() > 0.01


def test_a_diagonal_without_closed_form_comes_from_features(classes):
    X, y = classes
    model = classifier(activation="relu").fit(X, y)
    display = plots.KernelDiagonalDisplay.from_estimator(model, X)
    squares = (model.transform(X).astype(float) ** 2).sum(axis=1)
    np.testing.assert_allclose(display.diagonals["learned"], squares, rtol=1e-4)


def test_training_curves_show_parts_that_count(fitted_classifier):
    display = plots.TrainingCurvesDisplay.from_estimator(fitted_classifier)
    lines = {line.get_label(): line.get_ydata() for line in display.ax_.get_lines()}
    assert set(lines) == {"loss", "head penalty", "feature penalty", "objective"}
    total = lines["loss"] + lines["head penalty"] + lines["feature penalty"]
    np.testing.assert_allclose(lines["objective"], total, rtol=1e-5)
    right = next(ax for ax in display.figure_.axes if ax is not display.ax_)
    expected = [point.score for point in fitted_classifier.history_]
    np.testing.assert_allclose(right.get_lines()[0].get_ydata(), expected)


def test_records_between_epochs_are_put_where_they_were_made(classes):
    model = classifier(record_every=2, max_epochs=3).fit(*classes)
    display = plots.TrainingCurvesDisplay.from_estimator(model)
    x = display.ax_.get_lines()[0].get_xdata()
    np.testing.assert_array_equal(x, 2 * np.arange(1, len(x) + 1))


def test_an_exactly_solved_head_has_no_curves(numbers):
    with pytest.raises(ValueError, match="has no history"):
        plots.TrainingCurvesDisplay.from_estimator(regressor("sk").fit(*numbers))


def test_trajectories_need_a_recorder(fitted_regressor):
    with pytest.raises(ValueError, match="must be a BoundRecorder"):
        plots.BoundTrajectoryDisplay.from_estimator(fitted_regressor)


def test_several_trajectories_are_told_apart(classes):
    X, y = classes
    recorders = {}
    for name, penalty in (("free", 0.0), ("bound", 0.1)):
        recorders[name] = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
        classifier(head_penalty=penalty, callback=recorders[name]).fit(X[::2], y[::2])
    display = plots.BoundTrajectoryDisplay.from_recorders(recorders)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["free", "bound"]
    assert recorders["bound"].points[-1].complexity < recorders["free"].points[-1].complexity


def test_the_marginal_widens_where_learning_speeds_the_kernel_up(numbers):
    X, y = numbers  # sin(2 x): faster than the frequencies drawn here
    model = regressor(frequency_scale=0.2, max_epochs=40).fit(X, y)
    display = plots.MarginalDensityDisplay.from_estimator(model, feature=0)
    spread = [
        trapezoid(density * display.grid**2, display.grid)
        for density in (display.before, display.after)
    ]
    assert spread[1] > 2.0 * spread[0]


def test_the_embedding_is_that_of_principal_components(fitted_classifier, classes):
    X, y = classes
    display = plots.FeatureEmbeddingDisplay.from_estimator(fitted_classifier, X, y)
    expected = PCA(2).fit(fitted_classifier.transform(X).astype(float))
    np.testing.assert_allclose(display.explained, expected.explained_variance_ratio_, rtol=1e-3)


def test_many_classes_get_a_rainbow(rng):
    X = rng.normal(size=(200, 2))
    y = np.arange(200) % 20
    model = classifier(max_epochs=2).fit(X, y)
    display = plots.DecisionRegionsDisplay.from_estimator(model, X, y)
    assert len(display.ax_.get_legend().get_texts()) == 20


def test_a_transformer_shows_its_kernel_and_spectrum(classes):
    X, y = classes
    model = transformer().fit(X, y)
    assert plots.KernelMatrixDisplay.from_estimator(model, X, y).ax_.has_data()
    assert plots.SpectralDensityDisplay.from_estimator(model).ax_.has_data()


def test_a_slice_needs_two_inputs(rng):
    X = rng.normal(size=(60, 1))
    model = regressor().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="at least 2 inputs"):
        plots.KernelMapDisplay.from_estimator(model, X)


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, askl, askl.insight.plots, askl.insight.report, askl.theory, askl.interop;"
    code += "sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_remedy_is_named(monkeypatch, fitted_classifier):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install askl\[plots\]"):
        plots.SingularValuesDisplay.from_estimator(fitted_classifier)
