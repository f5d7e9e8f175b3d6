from __future__ import annotations

import numpy as np
import pytest

from tests.models import classifier, regressor, with_trained_head


@pytest.mark.parametrize("make", [classifier, regressor])
def test_a_warm_start_continues_from_the_last_fit(make, classes, numbers):
    X, y = classes if make is classifier else numbers
    warm = with_trained_head(make, warm_start=True).fit(X, y)
    first = warm.history_
    again = warm.fit(X, y).history_
    assert again[0].loss < first[0].loss
    assert again[-1].loss < first[-1].loss


def test_a_cold_start_starts_again(classes):
    X, y = classes
    model = classifier().fit(X, y)
    weights = model.weights_.copy()
    np.testing.assert_array_equal(model.fit(X, y).weights_, weights)


def test_a_warm_start_keeps_the_scaling(numbers):
    X, y = numbers
    model = regressor(warm_start=True).fit(X, y)
    center, mean = model.scaling_.arrays["center"], model.target_mean_
    model.fit(X + 1.0, y + 1.0)
    assert model.scaling_.arrays["center"] is center
    assert model.target_mean_ is mean


def test_the_first_warm_fit_is_a_cold_one(classes):
    X, y = classes
    warm, cold = classifier(warm_start=True).fit(X, y), classifier().fit(X, y)
    np.testing.assert_array_equal(warm.weights_, cold.weights_)


CHANGES = {
    "another width": (lambda X: X[:, :2], lambda y: y, {}),
    "more outputs": (lambda X: X, lambda y: np.column_stack([y, 1000.0 * y + 7.0]), {}),
    "more components": (lambda X: X, lambda y: y, {"n_components": 80}),
    "another depth": (lambda X: X, lambda y: y, {"hidden_components": (5,)}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_problem_begins_anew(change, numbers):
    X, y = numbers
    inputs, targets, parameters = CHANGES[change]
    warm = regressor(warm_start=True).fit(X, y).set_params(**parameters)
    warm.fit(inputs(X), targets(y))
    cold = regressor(**parameters).fit(inputs(X), targets(y))
    np.testing.assert_array_equal(warm.predict(inputs(X)), cold.predict(inputs(X)))


def test_other_labels_begin_anew(classes):
    X, y = classes
    warm = classifier(warm_start=True).fit(X, y).fit(X, 10 - y)
    cold = classifier().fit(X, 10 - y)
    np.testing.assert_array_equal(warm.decision_function(X), cold.decision_function(X))
