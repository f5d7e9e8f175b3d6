from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from askl.insight.report.scores import Score, best_of, compute_scores, is_tied
from tests.models import classifier, regressor


def by_name(scores):
    return {score.name: score for score in scores}


def test_classification_scores_are_scikit_learns(classes):
    X, y = classes
    model = classifier().fit(X[::2], y[::2])
    scores = by_name(compute_scores(model, X[1::2], y[1::2]))
    truth, predicted = y[1::2], model.predict(X[1::2])
    expected = {
        "accuracy": metrics.accuracy_score(truth, predicted),
        "balanced accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "log loss": metrics.log_loss(truth, model.predict_proba(X[1::2])),
    }
    assert {name: score.value for name, score in scores.items()} == pytest.approx(expected)
    assert not scores["log loss"].larger_is_better


def test_margins_have_no_log_loss(classes):
    model = classifier(loss="hinge").fit(*classes)
    assert set(by_name(compute_scores(model, *classes))) == {"accuracy", "balanced accuracy"}


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_regression_scores_are_scikit_learns(n_outputs, numbers):
    X, y = numbers
    y = y if n_outputs == 1 else np.column_stack([y, X[:, 0] + 0.3 * X[:, 2]])
    model = regressor(max_epochs=3).fit(X, y)
    scores = by_name(compute_scores(model, X, y))
    predicted = model.predict(X)
    mse = metrics.mean_squared_error(y, predicted)
    r2 = metrics.r2_score(y, predicted, multioutput="variance_weighted")
    assert scores["RMSE"].value == pytest.approx(np.sqrt(mse))
    assert scores["MAE"].value == pytest.approx(metrics.mean_absolute_error(y, predicted))
    assert scores["R²"].value == pytest.approx(r2)


def test_an_interval_is_that_of_resampled_rows(classes):
    X, y = classes
    model = classifier(max_epochs=2).fit(X[:60], y[:60])
    score = by_name(compute_scores(model, X[60:], y[60:]))["accuracy"]
    hits = model.predict(X[60:]) == y[60:]
    deviation = np.sqrt(hits.mean() * (1 - hits.mean()) / len(hits))
    assert score.low < score.value < score.high
    assert score.high - score.low == pytest.approx(2 * 1.96 * deviation, rel=0.2)


def test_a_class_without_rows_in_a_resample_is_left_out():
    class Constant:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    y = np.array([0] * 30 + [1])
    score = by_name(compute_scores(Constant(), np.zeros((31, 1)), y))["balanced accuracy"]
    assert score.value == 0.5
    assert np.isfinite(score.draws).all()
    assert score.high == 1.0  # without the one row of class 1, all is right


def test_ties_are_judged_on_paired_draws(rng):
    draws = rng.normal(size=500)
    best = Score("accuracy", True, 0.9, 0.8, 1.0, draws)
    shifted = best._replace(value=0.8, draws=draws - 0.1)
    noisy = best._replace(value=0.8, draws=draws - 0.1 + rng.normal(size=500))
    assert not is_tied(shifted, best)  # always a little worse, though intervals overlap
    assert is_tied(noisy, best)
    assert best_of({"a": shifted, "b": best}) == "b"
    assert best_of({"a": shifted._replace(larger_is_better=False), "b": best}) == "a"
