from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

from askl.theory import BoundRecorder, as_drawn, bounds
from tests.models import classifier, regressor, transformer


def halves(data):
    X, y = data
    return X[::2], y[::2], X[1::2], y[1::2]


def test_the_last_point_is_the_bound_of_the_fitted_model(classes):
    recorder = BoundRecorder(*halves(classes))
    X, y, X_test, y_test = halves(classes)
    model = classifier(loss="log", callback=recorder).fit(X, y)
    last, result = recorder.points[-1], bounds(model, X)
    assert [point.epoch for point in recorder.points] == list(range(1, 11))
    assert last.trace_norm == pytest.approx(result.trace_norm)
    assert last.mean_square == pytest.approx(result.trace / len(X))
    assert last.complexity == pytest.approx(result.feature_form)
    assert last.train_loss == pytest.approx(log_loss(y, model.predict_proba(X)), rel=1e-4)
    assert last.test_loss == pytest.approx(log_loss(y_test, model.predict_proba(X_test)), rel=1e-4)
    assert last.gap == last.test_loss - last.train_loss


def test_a_regression_is_recorded_in_standardised_units(numbers):
    X, y, X_test, y_test = halves(numbers)
    recorder = BoundRecorder(X, y, X_test, y_test)
    model = regressor(callback=recorder, refit_head=False).fit(X, y)
    errors = (model.predict(X_test) - y_test) / model.target_scale_
    assert recorder.points[-1].test_loss == pytest.approx(np.mean(errors**2), rel=1e-4)


def test_recording_does_not_change_training(classes):
    X, y, *_ = halves(classes)
    plain = classifier().fit(X, y)
    watched = classifier(callback=BoundRecorder(*halves(classes))).fit(X, y)
    np.testing.assert_array_equal(plain.weights_, watched.weights_)


def test_some_records_can_be_left_out(classes):
    recorder = BoundRecorder(*halves(classes), every=4)
    classifier(callback=recorder).fit(*halves(classes)[:2])
    assert [point.epoch for point in recorder.points] == [4, 8]


def test_every_must_be_positive(classes):
    with pytest.raises(ValueError, match="'every' parameter of BoundRecorder"):
        BoundRecorder(*halves(classes), every=0)


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"hidden_components": (10,)}, {"scale_inputs": "robust+quantile"}, {"method": "skl"}],
)
def test_as_drawn_is_where_the_fit_began(make, parameters, classes, numbers):
    X, y = classes if make is classifier else numbers
    learned = make(**parameters).fit(X, y)
    start = as_drawn(learned)
    never_learned = make(**parameters, learn_frequencies=False).fit(X, y)
    for (frequencies, phases), (expected, expected_phases) in zip(
        start.layers_, never_learned.layers_, strict=True
    ):
        np.testing.assert_array_equal(frequencies, expected)
        np.testing.assert_array_equal(phases, expected_phases)
    assert not start.weights_.any()
    assert not np.array_equal(learned.frequencies_, start.frequencies_)
