"""Figures of errors and calibration: what their texts say is so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from askl.insight.report.quality import quality_pictures
from tests.models import classifier, regressor


def by_title(pictures):
    return {picture.title: picture for picture in pictures}


class Fixed:
    """A classifier whose predictions are given."""

    def __init__(self, predicted, classes):
        self.predicted, self.classes_ = np.asarray(predicted), np.asarray(classes)

    def predict(self, X):
        return self.predicted


def test_the_most_frequent_confusion_is_named():
    y = np.array(["a"] * 5 + ["b"] * 5 + ["c"] * 5)
    predicted = y.copy()
    predicted[[0, 5, 6, 7]] = ["b", "c", "c", "a"]
    (picture,) = quality_pictures(Fixed(predicted, ["a", "b", "c"]), np.zeros((15, 1)), y)
    assert picture.alt == (
        "Confusion matrix of 3 classes. Most errors: 2 rows of b classified as c."
    )
    assert ">0.40<" in picture.svg  # two of the five rows of b
    (perfect,) = quality_pictures(Fixed(y, ["a", "b", "c"]), np.zeros((15, 1)), y)
    assert perfect.alt.endswith("No row is classified wrongly.")


def test_values_are_written_for_few_classes_only(rng):
    y = np.arange(60) % 12
    (picture,) = quality_pictures(Fixed(y, np.arange(12)), np.zeros((60, 1)), y)
    assert ">1.00<" not in picture.svg


def test_mean_confidence_and_accuracy_are_named(fitted_classifier, classes):
    X, y = classes
    picture = by_title(quality_pictures(fitted_classifier, X, y))["Calibration"]
    confidence = fitted_classifier.predict_proba(X).max(axis=1).mean()
    accuracy = fitted_classifier.score(X, y)
    assert f"Mean confidence {confidence:.3f}, accuracy {accuracy:.3f}." in picture.alt


def test_margins_have_no_calibration(classes):
    model = classifier(loss="hinge", max_epochs=2).fit(*classes)
    assert list(by_title(quality_pictures(model, *classes))) == ["Confusion matrix"]


def test_the_error_and_the_coverage_of_a_regression_are_named(fitted_regressor, numbers):
    X, y = numbers
    pictures = by_title(quality_pictures(fitted_regressor, X, y))
    assert list(pictures) == ["Predictions", "Residuals", "Calibration of intervals"]
    error = np.sqrt(np.mean((fitted_regressor.predict(X) - y) ** 2))
    assert pictures["Residuals"].alt == f"Residuals; root mean squared error {error:.4g}."
    mean, deviation = fitted_regressor.predict(X, return_std=True)
    lower, upper = norm.interval(0.9, mean, deviation)
    held = 100.0 * ((lower <= y) & (y <= upper)).mean()
    assert f"those of 90 % hold {held:.1f} % of the targets" in (
        pictures["Calibration of intervals"].alt
    )


@pytest.mark.parametrize("case", ["no exact head", "two outputs"])
def test_intervals_are_shown_only_where_there_are_any(case, numbers):
    X, y = numbers
    targets = np.column_stack([y, -y]) if case == "two outputs" else y
    model = regressor(max_epochs=2, refit_head=case == "two outputs").fit(X, targets)
    assert list(by_title(quality_pictures(model, X, targets))) == ["Predictions", "Residuals"]


def test_an_ensemble_is_judged_as_a_whole(auto_classifier, named_classes):
    X, y = named_classes
    pictures = by_title(quality_pictures(auto_classifier, X, y))
    accuracy = auto_classifier.score(X, y)
    assert f"accuracy {accuracy:.3f}." in pictures["Calibration"].alt
    for label in ("near", "middle", "far"):
        assert f">{label}<" in pictures["Confusion matrix"].svg
