from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from askl.learning import METHODS
from tests.models import classifier, regressor


def batches(X, y, size=60):
    for start in range(0, len(X), size):
        yield X[start : start + size], y[start : start + size]


@pytest.mark.parametrize("method", METHODS)
def test_a_classifier_improves_from_call_to_call(method, classes):
    X, y = classes
    model = classifier(method)
    scores = []
    for _ in range(30):
        for part, labels in batches(X, y):
            model.partial_fit(part, labels, classes=[0, 1, 2])
        scores.append(model.score(X, y))
    assert scores[-1] > scores[0]
    assert scores[-1] > 0.6
    assert model.n_iter_ == len(model.history_) == 30 * 4


@pytest.mark.parametrize("method", METHODS)
def test_a_regressor_improves_from_call_to_call(method, numbers):
    X, y = numbers
    model = regressor(method)
    scores = []
    for _ in range(30):
        for part, targets in batches(X, y):
            model.partial_fit(part, targets)
        scores.append(model.score(X, y))
    assert scores[-1] > scores[0]
    assert scores[-1] > 0.3


def test_classes_must_be_named_first(classes):
    with pytest.raises(ValueError, match="first call of partial_fit must name all classes"):
        classifier().partial_fit(*classes)


def test_classes_named_but_not_seen_yet_are_known(classes):
    X, y = classes
    model = classifier()
    model.partial_fit(X[y < 2], y[y < 2], classes=[2, 0, 1])
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert model.decision_function(X).shape == (240, 3)
    model.partial_fit(X[y == 2], y[y == 2])


@pytest.mark.parametrize("unseen", [-1, 1, 7])
def test_a_label_that_was_not_named_is_an_error(unseen, classes):
    X, y = classes
    y = np.array([0, 5, 6])[y]
    model = classifier().partial_fit(X, y, classes=[0, 5, 6])
    y[3] = unseen
    with pytest.raises(ValueError, match=rf"not among the model's classes: array\(\[{unseen}\]"):
        model.partial_fit(X, y)


def test_strings_are_labels_too(classes):
    X, y = classes
    names = np.array(["a", "b", "c"])
    model = classifier().partial_fit(X, names[y], classes=names)
    assert set(model.predict(X)) <= set(names)
    with pytest.raises(ValueError, match="not among the model's classes"):
        model.partial_fit(X, np.full(240, "aa"))


def test_classes_cannot_change(classes):
    X, y = classes
    model = classifier().partial_fit(X, y, classes=[0, 1, 2])
    model.partial_fit(X, y, classes=[2, 1, 0])
    with pytest.raises(ValueError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=[0, 1, 2, 3])


def test_the_first_call_fixes_the_scaling(numbers):
    X, y = numbers
    model = regressor().partial_fit(X, y)
    center, mean = model.scaling_.arrays["center"].copy(), model.target_mean_.copy()
    model.partial_fit(X + 100.0, y + 100.0)
    np.testing.assert_array_equal(model.scaling_.arrays["center"], center)
    np.testing.assert_array_equal(model.target_mean_, mean)


def test_calls_repeat_to_the_bit(numbers):
    X, y = numbers
    first, second = (regressor().partial_fit(X, y).partial_fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.weights_, second.weights_)


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_the_optimizer_remembers_between_calls(optimizer, numbers):
    X, y = numbers
    options = {"optimizer": optimizer, "dropout": 0.0, "batch_size": 1000, "refit_head": False}
    in_parts = regressor(**options)
    for _ in range(5):
        in_parts.partial_fit(X, y)
    at_once = regressor(schedule="constant", max_epochs=5, **options).fit(X, y)
    np.testing.assert_allclose(in_parts.weights_, at_once.weights_, rtol=1e-3, atol=1e-5)


def test_a_fit_can_be_continued(numbers):
    X, y = numbers
    model = regressor(refit_head=False).fit(X, y)
    before = model.history_[-1].loss
    for _ in range(20):
        model.partial_fit(X, y)
    assert model.history_[-1].loss < before
    assert model.n_iter_ == 30


@pytest.mark.parametrize("make", [classifier, regressor])
def test_weights_count(make, classes, numbers):
    X, y = classes if make is classifier else numbers
    extra = {"classes": [0, 1, 2]} if make is classifier else {}
    repeats = np.arange(240) % 3 + 1
    options = {"batch_size": 1000, "dropout": 0.0}
    weighted, repeated = make(**options), make(**options)
    for _ in range(3):
        weighted.partial_fit(X, y, sample_weight=repeats, **extra)
        repeated.partial_fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats), **extra)
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=0, atol=1e-3)


def test_several_outputs_can_come_in_parts(numbers):
    X, y = numbers
    model = regressor().partial_fit(X, np.column_stack([y, -y]))
    assert model.partial_fit(X, np.column_stack([y, -y])).predict(X).shape == (240, 2)


def test_a_diverging_call_warns_and_keeps_finite_numbers(numbers):
    X, y = numbers
    model = regressor(optimizer="sgd", head_learning_rate=1e30, batch_size=30).partial_fit
    with pytest.warns(ConvergenceWarning, match="head_learning_rate"):
        fitted = model(X, y)
    assert np.isfinite(fitted.predict(X)).all()


def test_arrays_that_cannot_be_written_are_left_alone(classes):
    X, y = classes
    model = classifier().fit(X, y)
    frozen = model.weights_, model.layers_[0][0]
    before = [array.copy() for array in frozen]
    for array in frozen:
        array.flags.writeable = False  # as after joblib.load(..., mmap_mode="r")
    model.partial_fit(X, y)
    for array, copy in zip(frozen, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert not np.array_equal(model.weights_, before[0])
