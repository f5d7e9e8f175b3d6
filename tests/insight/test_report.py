from __future__ import annotations

import re
import sys
import time
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from askl.insight.report import Section, Table, write_comparison_report, write_report
from askl.insight.report.svg import draw
from askl.theory import BoundRecorder
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
VOID = {"meta", "link", "br", "img"}


class Page(HTMLParser):
    """Just enough of a browser: headings, figures, and whether tags match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.labels: list[str | None] = []
        self.captions: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        named = dict(attributes)
        if tag == "svg":
            self.labels.append(named.get("aria-label"))
        self.addresses += [
            named[key] for key in ("src", "href", "xlink:href", "srcset", "data") if key in named
        ]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
        if self.open and self.open[-1] == "figcaption":
            self.captions.append(data)


def read(path):
    text = path.read_text(encoding="utf-8")
    return text, Page(text)


def check(path, *, at_least):
    """What every report must be: whole, alone, small, and fit for those who cannot see."""
    text, page = read(path)
    assert path.stat().st_size < 5 * 2**20
    assert len(page.labels) == len(page.captions) >= at_least
    assert all(label and len(label) > 20 for label in page.labels)
    assert all(caption.strip().endswith(".") for caption in page.captions)
    assert all(a.startswith(("#", "data:image/png;base64,")) for a in page.addresses)
    outside = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in text
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {
        f"#{name}" for name in re.findall(r'id="([^"]+)"', text)
    }
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
    assert "default-src 'none'" in text
    return text, page


def test_a_classifier_is_reported_whole(tmp_path, fitted_classifier, classes):
    X, y = classes
    started = time.process_time()
    path = write_report(fitted_classifier, X, y, tmp_path / "new" / "report.html", title="A & B")
    assert time.process_time() - started < 20.0
    text, page = check(path, at_least=16)
    assert page.headings == SECTIONS
    assert "<h1>A &amp; B</h1>" in text
    for part in ("balanced accuracy", "Calibration", "Confusion matrix", "generalisation gap"):
        assert part in text
    assert "BoundRecorder(...)" not in text


def test_a_regressor_is_reported_whole(tmp_path, fitted_regressor, numbers):
    text, page = check(
        write_report(fitted_regressor, *numbers, tmp_path / "report.html"), at_least=15
    )
    assert page.headings == SECTIONS
    for part in ("RMSE", "Residuals", "Predictions", "BoundRecorder(...)"):
        assert part in text


CASES = {
    "frame": {},
    "sparse": {},
    "hinge": {"loss": "hinge"},
    "stack": {"hidden_components": (20,)},
    "assigned": {"method": "nsk"},
    "relu": {"activation": "relu"},
}


@pytest.mark.parametrize("case", CASES)
def test_models_of_all_kinds_are_reported(case, tmp_path, classes):
    X, y = classes
    if case == "frame":
        X = pd.DataFrame(X, columns=["<length>", "width", "noise"])
    elif case == "sparse":
        X = csr_matrix(X)
    model = classifier(**{"max_epochs": 2, **CASES[case]}).fit(X, y)
    text, _ = check(write_report(model, X, y, tmp_path / "report.html"), at_least=11)
    assert ("there is none to show" in text) == (case == "relu")
    assert ("&lt;length&gt;" in text) == (case == "frame")
    assert "<length>" not in text


@pytest.mark.parametrize("case", ["one input", "two outputs", "exact", "descended"])
def test_regressions_of_all_kinds_are_reported(case, tmp_path, numbers):
    X, y = numbers
    if case == "one input":
        X = X[:, :1]
    elif case == "two outputs":
        y = np.column_stack([y, X[:, 0]])
    method = "sk" if case == "exact" else "askl"
    refit = False if case == "descended" else "auto"
    model = regressor(method, max_epochs=2, refit_head=refit).fit(X, y)
    check(write_report(model, X, y, tmp_path / "report.html"), at_least=10)


def test_an_interval_that_the_model_predicts_is_checked(tmp_path, fitted_regressor, numbers):
    class WithDeviation(type(fitted_regressor)):
        def predict(self, X, return_std=False):
            mean = super().predict(X)
            return (mean, np.full(len(mean), 0.2)) if return_std else mean

    model = WithDeviation(**fitted_regressor.get_params())
    model.__dict__.update(fitted_regressor.__dict__)
    text, _ = read(write_report(model, *numbers, tmp_path / "report.html"))
    assert "the 90 % interval covers" in text


def test_a_recorder_can_be_given(tmp_path, classes):
    X, y = classes
    recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    model = classifier(callback=lambda *record: recorder(*record)).fit(X[::2], y[::2])
    path = write_report(model, X, y, tmp_path / "report.html", recorder=recorder)
    assert "At the end the bound is" in path.read_text(encoding="utf-8")


def test_labels_the_model_has_not_seen_are_named(tmp_path, fitted_classifier, classes):
    X, y = classes
    with pytest.raises(ValueError, match=r"not among the model's classes: array\(\[7\]\)"):
        write_report(fitted_classifier, X, np.where(y == 2, 7, y), tmp_path / "report.html")


def test_several_models_are_compared(tmp_path, classes):
    X, y = classes
    models = {}
    for method in ("sk", "nskl", "askl"):
        recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
        models[method.upper()] = classifier(method, callback=recorder).fit(X[::2], y[::2])
    extra = Section("Splits", "Five of them.", [Table(["method", "mean"], [["SK", "0.5"]])])
    path = write_comparison_report(
        models, X[1::2], y[1::2], tmp_path / "report.html", title="Three", sections=[extra]
    )
    text, page = check(path, at_least=9)
    assert page.headings[:2] == ["Splits", "Scores"]
    assert text.count("<strong>") == 3  # one best model for each score
    assert "Kernel matrix of ASKL" in text
    assert "<td>method</td><td>&#x27;sk&#x27;</td>" in text


def test_regressors_are_compared(tmp_path, numbers):
    models = {method: regressor(method, max_epochs=2).fit(*numbers) for method in ("sk", "skl")}
    check(write_comparison_report(models, *numbers, tmp_path / "report.html"), at_least=6)


def test_nothing_cannot_be_compared(tmp_path, classes):
    with pytest.raises(ValueError, match="must hold at least one fitted model"):
        write_comparison_report({}, *classes, tmp_path / "report.html")


def test_figures_take_their_colours_from_the_page():
    picture = draw("Lines", "Read.", 'A "quoted" line.', lambda ax: ax.plot([0, 1], [2, 3]))
    assert "var(--series-0)" in picture.svg
    assert "currentColor" in picture.svg
    assert "#24292f" not in picture.svg
    assert 'aria-label="A &quot;quoted&quot; line."' in picture.svg
    assert "<text" in picture.svg  # text stays text


def test_without_matplotlib_the_remedy_is_named(monkeypatch, tmp_path, fitted_classifier, classes):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install askl\[plots\]"):
        write_report(fitted_classifier, *classes, tmp_path / "report.html")
