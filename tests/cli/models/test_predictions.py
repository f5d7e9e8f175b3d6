"""Predictions as named columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from askl.cli.models.predictions import choose_outputs, needs_quotes, with_intervals
from askl.errors import AsklError
from tests.models import classifier, regressor


def test_probabilities_are_named_by_their_classes(classes):
    X, y = classes
    model = classifier(max_epochs=2).fit(X, np.array(["low", "mid", "high"])[y])
    columns = choose_outputs(model, probabilities=True, intervals=None)(X)
    assert list(columns) == [
        "prediction",
        "probability_high",
        "probability_low",
        "probability_mid",
    ]
    np.testing.assert_array_equal(columns["prediction"], model.predict(X))
    np.testing.assert_array_equal(columns["probability_low"], model.predict_proba(X)[:, 1])


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_intervals_reach_as_far_as_the_normal_distribution_says(share, numbers):
    X, y = numbers
    model = regressor(max_epochs=2).fit(X, y)
    columns = with_intervals(model, X, share)
    mean, deviation = model.predict(X, return_std=True)
    lower, upper = norm.interval(share, mean, deviation)
    np.testing.assert_allclose(columns["lower"], lower)
    np.testing.assert_allclose(columns["upper"], upper)


def test_several_outputs_are_numbered(numbers):
    X, y = numbers
    model = regressor(max_epochs=2).fit(X, np.column_stack([y, -y]))
    columns = choose_outputs(model, probabilities=False, intervals=None)(X)
    assert list(columns) == ["prediction_0", "prediction_1"]


def test_outputs_that_a_model_does_not_have_are_refused(classes, numbers):
    labels, values = classifier(max_epochs=1).fit(*classes), regressor(max_epochs=1).fit(*numbers)
    margins = classifier(max_epochs=1, loss="hinge").fit(*classes)
    for model, probabilities, intervals, words in (
        (labels, False, 0.9, "for regression"),
        (values, True, None, "for classification"),
        (margins, True, None, "no probabilities"),
    ):
        with pytest.raises(AsklError, match=words):
            choose_outputs(model, probabilities=probabilities, intervals=intervals)


@pytest.mark.parametrize(
    ("labels", "quotes"), [(["a", "b"], False), (["a,b", "c"], True), (['"', "c"], True)]
)
def test_labels_that_csv_must_quote_are_found(labels, quotes, classes):
    X, y = classes
    model = classifier(max_epochs=1).fit(X, np.array(labels)[np.minimum(y, 1)])
    assert needs_quotes(model) is quotes
    assert not needs_quotes(regressor())
