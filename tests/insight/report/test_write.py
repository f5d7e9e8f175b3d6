"""Reports of models of all kinds, as whole pages."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import askl
from askl import SpectralFeatures, make_table_pipeline
from askl.insight.members import choose_member
from askl.insight.report import write_report
from askl.learning import LOSSES, NamedLoss
from askl.theory import BoundRecorder, bounds
from tests.insight.report.pages import check
from tests.models import classifier, regressor

SECTIONS = [
    "Scores",
    "Training",
    "Kernel",
    "Spectrum",
    "Predictions",
    "Bounds",
    "Data",
    "Parameters",
    "Environment",
]


def test_a_classifier_is_reported_whole(tmp_path, fitted_classifier, classes):
    X, y = classes
    path = write_report(fitted_classifier, X, y, tmp_path / "new" / "report.html", title="A & B")
    page = check(path, at_least=16)
    text = page.text
    assert page.headings == SECTIONS
    assert "<h1>A &amp; B</h1>" in text
    for part in ("balanced accuracy", "Calibration", "Confusion matrix", "generalisation gap"):
        assert part in text
    assert "BoundRecorder(...)" not in text


def test_an_ensemble_of_a_table_is_reported_by_its_columns(tmp_path, auto_regressor, houses):
    page = check(write_report(auto_regressor, *houses, tmp_path / "r.html"), at_least=10)
    assert page.headings == [
        "Scores",
        "Members",
        "Kernel",
        "Predictions",
        "Data",
        "Heaviest member",
        "Spectrum",
        "Bounds",
        "Parameters",
        "Environment",
    ]
    assert page.row("size")[-1].endswith("%")
    assert page.row("<color>")[1:6] == ["", "", "", "", ""]
    assert "<color>" not in page.text
    assert "Decision" not in page.text  # no picture over two inputs that are no numbers
    member = choose_member(auto_regressor, spectral=True)
    table, price = houses
    expected = bounds(member, auto_regressor.encode_inputs(table), price)
    assert page.row("largest loss M")[1] == f"{expected.constants.largest:.4g}"


def test_an_ensemble_without_a_density_says_so(tmp_path, auto_rectified, numbers):
    page = check(write_report(auto_rectified, *numbers, tmp_path / "r.html"), at_least=10)
    assert "there is none to show" in page.text
    assert "about the heaviest member, number" in page.text


def test_a_pipeline_is_reported_by_its_last_step_with_the_names_of_its_inputs(tmp_path, houses):
    table, price = houses
    pipeline = make_table_pipeline(regressor(max_epochs=3)).fit(table, price)
    page = check(write_report(pipeline, table, price, tmp_path / "r.html"), at_least=12)
    assert "SpectralKernelRegressor on 240 rows" in page.text
    assert page.row("missingindicator_size")[-1].endswith("%")
    rmse = np.sqrt(np.mean((pipeline.predict(table) - price) ** 2))
    assert page.row("RMSE ↓")[1] == f"{rmse:.4g}"


def test_an_own_loss_is_reported_without_risk_bounds(tmp_path, classes, monkeypatch):
    X, y = classes
    row = NamedLoss(LOSSES["hinge"].evaluate, "classification")
    monkeypatch.setitem(LOSSES, "own", row)
    recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    model = classifier(loss="own", max_epochs=2, callback=lambda *record: recorder(*record))
    model.fit(X[::2], y[::2])
    path = write_report(model, X, y, tmp_path / "r.html", recorder=recorder)
    page = check(path, at_least=12)
    assert page.row("Lipschitz constant L")[1] == "—"
    assert page.row("excess risk ≤, probability 0.95")[1] == "—"
    assert float(page.row("trace norm B of the head")[1]) > 0.0
    assert "own loss" in page.text
    assert "At the end the bound is" in page.text


def test_it_is_a_name_of_the_package(tmp_path, fitted_regressor, numbers):
    assert askl.write_report is write_report
    assert not hasattr(fitted_regressor, "report")


def test_what_predicts_nothing_is_refused(tmp_path, classes):
    with pytest.raises(TypeError, match="Got SpectralFeatures instead, which predicts nothing"):
        write_report(SpectralFeatures().fit(classes[0]), *classes, tmp_path / "r.html")
    with pytest.raises(TypeError, match="Got LogisticRegression"):
        write_report(LogisticRegression(), *classes, tmp_path / "r.html")


def test_a_regressor_is_reported_whole(tmp_path, fitted_regressor, numbers):
    page = check(write_report(fitted_regressor, *numbers, tmp_path / "report.html"), at_least=15)
    text = page.text
    assert page.headings == SECTIONS
    for part in ("RMSE", "Residuals", "Predictions", "BoundRecorder(...)"):
        assert part in text


CASES = {
    "sparse": {},
    "assigned, margins": {"method": "nsk", "loss": "hinge"},
    "stack of units": {"hidden_components": (20,), "activation": "relu"},
}


@pytest.mark.parametrize("case", CASES)
def test_models_of_all_kinds_are_reported(case, tmp_path, classes):
    X, y = classes
    X = csr_matrix(X) if case == "sparse" else X
    model = classifier(**{"max_epochs": 2, **CASES[case]}).fit(X, y)
    text = check(write_report(model, X, y, tmp_path / "report.html"), at_least=11).text
    assert ("there is none to show" in text) == (case == "stack of units")
    assert ("Reliability curve" in text) == (case != "assigned, margins")
    assert ("sparse inputs" in text) == (case == "sparse")


@pytest.mark.parametrize("case", ["exact, one input", "descended, two outputs"])
def test_regressions_of_all_kinds_are_reported(case, tmp_path, numbers):
    X, y = numbers
    if case == "exact, one input":
        X, model = X[:, :1], regressor("sk")
    else:
        y, model = np.column_stack([y, X[:, 0]]), regressor(max_epochs=2, refit_head=False)
    text = check(write_report(model.fit(X, y), X, y, tmp_path / "r.html"), at_least=10).text
    assert ('<span class="value">exact</span>' in text) == (case == "exact, one input")
    assert ("2 numbers to predict" in text) == (case != "exact, one input")


def test_labels_the_model_has_not_seen_are_named(tmp_path, fitted_classifier, classes):
    X, y = classes
    with pytest.raises(ValueError, match=r"not among the model's classes: array\(\[7\]\)"):
        write_report(fitted_classifier, X, np.where(y == 2, 7, y), tmp_path / "report.html")


def test_without_matplotlib_the_remedy_is_named(monkeypatch, tmp_path, fitted_classifier, classes):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install askl\[plots\]"):
        write_report(fitted_classifier, *classes, tmp_path / "report.html")
