"""Reports that compare several models."""

from __future__ import annotations

import pytest

from askl.insight.report import Section, Table, write_comparison_report
from askl.theory import BoundRecorder, bounds
from tests.insight.report.pages import check
from tests.models import classifier, regressor


def test_several_models_are_compared(tmp_path, classes):
    X, y = classes
    models = {}
    for method in ("sk", "nskl", "askl"):
        recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
        models[method.upper()] = classifier(method, callback=recorder).fit(X[::2], y[::2])
    extra = Section("Splits", "Five of them.", [Table(["kernel", "mean"], [["SK", "0.5"]])])
    path = write_comparison_report(
        models, X[1::2], y[1::2], tmp_path / "report.html", title="Three", sections=[extra]
    )
    page = check(path, at_least=9)
    text = page.text
    assert page.headings[:2] == ["Splits", "Scores"]
    assert text.count("<strong>") == 3  # one best model for each score
    assert "Kernel matrix of ASKL" in text
    assert page.row("method") == ["method", "'sk'", "'nskl'", "'askl'"]
    assert not any(row[0] == "max_epochs" for row in page.rows)  # the same for all
    expected = [f"{bounds(model, X[1::2], y[1::2]).trace_norm:.4g}" for model in models.values()]
    assert page.row("trace norm B of the head")[1:] == expected


def test_regressors_are_compared(tmp_path, numbers):
    models = {method: regressor(method, max_epochs=2).fit(*numbers) for method in ("sk", "skl")}
    models["again"] = models["skl"]
    page = check(write_comparison_report(models, *numbers, tmp_path / "report.html"), at_least=6)
    assert "<h1>3 models on 240 rows</h1>" in page.text
    (scores, *_) = (row for row in page.rows if row[0] == "skl" and len(row) > 4)
    assert scores[1:3] == ["stationary", "learned"]
    assert scores[-2].endswith(" s")
    (other, *_) = (row for row in page.rows if row[0] == "sk" and len(row) > 4)
    assert (other[2], other[-2]) == ("assigned", "exact")
    (again, *_) = (row for row in page.rows if row[0] == "again" and len(row) > 4)
    assert all(cell.endswith(" ≈") for cell in again[3:6])  # the same model is a tie


def test_nothing_cannot_be_compared(tmp_path, classes):
    with pytest.raises(ValueError, match="must hold at least one fitted model"):
        write_comparison_report({}, *classes, tmp_path / "report.html")
