"""Metrics block by block against scikit-learn's of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from askl.evaluation import ClassificationMetrics, RegressionMetrics


@pytest.mark.parametrize("n_classes", [2, 4])
def test_classification_scores_are_scikit_learns(n_classes):
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=2000)
    outputs = rng.normal(size=(2000, n_classes)) + 1.5 * np.eye(n_classes)[y]
    shares = np.exp(3.0 * outputs) / np.exp(3.0 * outputs).sum(axis=1, keepdims=True)
    scores = ClassificationMetrics(np.arange(n_classes))
    for rows in np.array_split(np.arange(2000), 7):
        scores.add(y[rows], shares[rows].argmax(axis=1), shares[rows])
    found = scores.result()
    predicted = shares.argmax(axis=1)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(y, predicted))
    assert found["balanced_accuracy"] == pytest.approx(
        metrics.balanced_accuracy_score(y, predicted)
    )
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, shares))
    area = metrics.roc_auc_score(
        y, shares[:, 1] if n_classes == 2 else shares, multi_class="ovr", average="macro"
    )
    assert found["macro_auc"] == pytest.approx(area, abs=2e-5)


def test_regression_scores_are_scikit_learns_far_from_zero():
    rng = np.random.default_rng(0)
    y = 1e6 + rng.normal(size=1000)
    predicted = y + 0.5 * rng.normal(size=1000)
    ends = predicted - 1.0, predicted + 1.0
    scores = RegressionMetrics()
    for rows in np.array_split(np.arange(1000), 3):
        scores.add(y[rows], predicted[rows], (ends[0][rows], ends[1][rows]))
    found = scores.result()
    assert found["RMSE"] == pytest.approx(metrics.root_mean_squared_error(y, predicted))
    assert found["MAE"] == pytest.approx(metrics.mean_absolute_error(y, predicted))
    assert found["R2"] == pytest.approx(metrics.r2_score(y, predicted), abs=1e-6)
    assert found["coverage_90"] == pytest.approx(np.mean(np.abs(y - predicted) <= 1.0))


def test_a_constant_target_has_no_r2_and_a_lone_class_no_area():
    numbers = RegressionMetrics()
    numbers.add(np.ones(3), np.ones(3))
    assert np.isnan(numbers.result()["R2"])
    labels = ClassificationMetrics(np.array([0, 1]))
    labels.add(np.zeros(2), np.zeros(2), np.full((2, 2), 0.5))
    assert "macro_auc" not in labels.result()


def test_labels_that_are_no_class_count_as_wrong_and_not_in_log_loss():
    found = ClassificationMetrics(np.array(["a", "b"]))
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    found.add(np.array(["a", "b", "z"]), np.array(["a", "b", "a"]), shares)
    assert found.unseen == {"z": 1}
    assert found.result()["accuracy"] == pytest.approx(2 / 3)
    assert found.result()["balanced_accuracy"] == pytest.approx((1 + 1 + 0) / 3)
    assert found.result()["log_loss"] == pytest.approx(-np.log([0.9, 0.8]).mean())


def test_very_many_classes_have_no_area():
    classes = np.arange(101)
    found = ClassificationMetrics(classes)
    found.add(classes, classes, np.full((101, 101), 1 / 101))
    assert set(found.result()) == {"accuracy", "balanced_accuracy", "log_loss"}
