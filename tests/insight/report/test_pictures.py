"""Which figures a report has, and what their texts say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from askl.insight.members import relevance_of
from askl.insight.report import pictures
from tests.models import classifier, regressor


def titles(found):
    return [picture.title for picture in found]


def test_training_is_shown_with_its_last_numbers(fitted_classifier):
    (curves, trajectory) = pictures.training_pictures(fitted_classifier, fitted_classifier.callback)
    last, point = fitted_classifier.history_[-1], fitted_classifier.callback.points[-1]
    assert f"Curves over {last.epoch} epochs; loss {last.loss:.4g}" in curves.alt
    assert f"the bound is {point.complexity:.4g} and the gap {point.gap:.4g}" in trajectory.alt


def test_what_did_not_descend_has_no_curves(numbers):
    assert pictures.training_pictures(regressor("sk").fit(*numbers), None) == []


@pytest.mark.parametrize(
    ("X", "sliced"),
    [
        (np.zeros((3, 2)), True),
        (np.zeros((3, 1)), False),
        (csr_matrix((3, 2)), True),
        (pd.DataFrame({"a": [1.0], "b": [True]}), True),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), False),
        (pd.DataFrame({"a": [1.0], "b": pd.to_datetime(["2020-01-01"])}), False),
    ],
)
def test_two_inputs_that_are_numbers_can_vary(X, sliced):
    assert pictures.can_be_sliced(X) is sliced


def test_kernel_figures_speak_of_classes_or_of_targets(
    fitted_classifier, fitted_regressor, classes, numbers
):
    for model, data, what in (
        (fitted_classifier, classes, "class"),
        (fitted_regressor, numbers, "target"),
    ):
        found = pictures.kernel_pictures(model, *data, None)
        assert titles(found) == [
            "Kernel matrix before learning",
            "Kernel matrix after learning",
            "Kernel around the median row",
            "Distribution of k(x, x)",
        ]
        assert all(f"sorted by {what}" in picture.alt for picture in found[:2])
        assert found[0].svg != found[1].svg


def test_one_input_or_a_text_has_no_figure_over_two(numbers, auto_regressor, houses):
    X, y = numbers
    model = regressor(max_epochs=2).fit(X[:, :1], y)
    assert "Kernel around the median row" not in titles(
        pictures.kernel_pictures(model, X[:, :1], y, None)
    )
    assert titles(pictures.prediction_pictures(model, X[:, :1], y, None)) == [
        "Features of the rows"
    ]
    assert titles(pictures.prediction_pictures(auto_regressor, *houses, None)) == [
        "Features of the rows"
    ]


def test_predictions_are_regions_or_a_surface(
    fitted_classifier, fitted_regressor, classes, numbers
):
    regions = pictures.prediction_pictures(fitted_classifier, *classes, None)
    surface = pictures.prediction_pictures(fitted_regressor, *numbers, None)
    assert titles(regions)[0] == "Decision regions"
    assert titles(surface)[0] == "Prediction surface"
    X, y = numbers
    both = regressor(max_epochs=2).fit(X, np.column_stack([y, -y]))
    only = pictures.prediction_pictures(both, X, np.column_stack([y, -y]), None)
    assert titles(only) == ["Features of the rows"]


def test_the_most_relevant_input_is_named(fitted_regressor):
    best = int(relevance_of(fitted_regressor).argmax())
    names = ["u", "v", "w"]
    assert pictures.relevance_picture(fitted_regressor, names).alt == (
        f"A bar for each input; the most relevant is {names[best]}."
    )
    density = pictures.spectrum_pictures(fitted_regressor, names)
    assert titles(density)[-1] == f"Frequencies of {names[best]}"
    assert f">ω, {names[best]}<" in density[-1].svg


def test_the_head_is_described_by_its_shape(classes):
    model = classifier(activation="paired", max_epochs=1).fit(*classes)
    assert pictures.head_picture(model).alt == "Singular values of a 120 by 3 head."


def test_of_several_outputs_the_first_is_shown():
    y = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert pictures.first_target(y).tolist() == [1.0, 3.0]
    assert pictures.first_target(y[:, 1]).tolist() == [2.0, 4.0]
