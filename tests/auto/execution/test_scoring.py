"""The errors by which candidates are compared."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from askl.auto.execution.scoring import classification_error, log_loss, squared_error

PROBABILITIES = np.array([[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
TARGETS = np.array([0, 0, 1])


def test_log_loss_is_scikit_learns():
    expected = metrics.log_loss(TARGETS, PROBABILITIES)
    assert log_loss(PROBABILITIES, TARGETS) == pytest.approx(expected)
    assert np.isfinite(log_loss(np.array([[1.0, 0.0]]), np.array([1])))


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_classification_error_is_wrong_labels_and_a_share_of_the_log_loss(share):
    expected = 2 / 3 + share * log_loss(PROBABILITIES, TARGETS)
    error = classification_error(PROBABILITIES, TARGETS, log_loss_share=share)
    assert error == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(30,), (30, 2)])
def test_the_squared_error_is_scikit_learns(shape, rng):
    predictions, targets = rng.normal(size=(2, *shape))
    expected = metrics.mean_squared_error(targets, predictions)
    assert squared_error(predictions, targets) == pytest.approx(expected)
