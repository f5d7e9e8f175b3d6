"""The page about a plain model."""

from __future__ import annotations

import numpy as np
import pytest

from askl.insight.report import single
from askl.insight.report.scores import compute_scores
from askl.theory import bounds
from tests.insight.report.pages import Page
from tests.models import classifier


@pytest.fixture(scope="module")
def page(fitted_classifier, classes) -> Page:
    X, y = classes
    text = single.model_page(fitted_classifier, X, y, title=None, recorder=None, names=None)
    return Page(text)


@pytest.fixture(scope="module")
def part(fitted_regressor, numbers) -> Page:
    """A regression on some of the rows, with names for its inputs."""
    X, y, names = numbers[0][:100], numbers[1][:100], ["u & v", "v", "w"]
    text = single.model_page(fitted_regressor, X, y, title=None, recorder=None, names=names)
    return Page(text)


def test_the_head_of_the_page_says_what_is_reported(page, fitted_classifier):
    assert "<h1>SpectralKernelClassifier on 240 rows</h1>" in page.text
    assert "Scored on 240 rows of 3 inputs, 3 classes." in page.text
    seconds = fitted_classifier.history_[-1].seconds
    assert f'<span class="value">{seconds:.1f} s</span>' in page.text
    assert f'<span class="remark">{fitted_classifier.n_iter_} epochs</span>' in page.text


def test_each_score_has_a_card(fitted_regressor, numbers):
    cards = single.score_cards(compute_scores(fitted_regressor, *numbers))
    assert [card.label for card in cards] == ["RMSE", "MAE", "R²"]
    r2 = fitted_regressor.score(*numbers)
    assert cards[2].value == f"{r2:.4g}"
    low, high = (float(end) for end in cards[2].remark.split(" to "))
    assert low < r2 < high


def test_the_callback_is_the_recorder_by_default(page, part):
    assert single.NO_RECORDER not in page.text
    assert "Bound and generalisation gap" in page.text
    assert single.NO_RECORDER in part.text
    assert "Bound and generalisation gap" not in part.text


def test_bounds_and_tables_are_of_the_rows_of_the_report(part, fitted_regressor, numbers):
    X, y = numbers[0][:100], numbers[1][:100]
    expected = bounds(fitted_regressor, X, y)
    assert part.row("R̂ ≤, from features")[1] == f"{expected.feature_form:.4g}"
    assert part.row("largest loss M")[1] == f"{expected.constants.largest:.4g}"
    assert part.row("y")[1] == f"{y.min():.4g}"


def test_inputs_have_the_given_names(part):
    assert {"u & v", "v", "w"} <= {row[0] for row in part.rows}
    assert "u &amp; v" in part.text
    assert "input 0" not in part.text


def test_sections_without_density_say_why(classes):
    model = classifier(activation="sigmoid", max_epochs=1).fit(*classes)
    section = single.spectrum_section(model, np.zeros((3, 3)), None)
    assert section.pictures == ()
    assert "not the Fourier transform" in section.introduction
