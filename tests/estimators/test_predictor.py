"""What the classifier and the regressor share around a fit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.models import classifier, regressor, transformer

TASKS = {"classes": classifier, "numbers": regressor}


@pytest.fixture(params=TASKS)
def task(request):
    return TASKS[request.param], *request.getfixturevalue(request.param)


def test_a_fit_for_selection_differs_in_the_relevance_only(task):
    make, X, y = task
    weights = np.linspace(0.5, 1.5, len(y))
    model, compared = make().fit(X, y, weights), make().fit_for_selection(X, y, weights)
    assert not hasattr(compared, "feature_relevance_")
    np.testing.assert_array_equal(model.weights_, compared.weights_)
    np.testing.assert_array_equal(model.predict(X), compared.predict(X))
    again = make().fit(X, y).fit_for_selection(X[:, :2], y)
    assert not hasattr(again, "feature_relevance_"), "it would be of another fit"


class Refused(Exception):
    pass


def refuse(progress, estimator):
    estimator.predict(np.zeros((1, estimator.n_features_in_)))
    raise Refused


def broken_stream():
    yield np.zeros((10, 2)), np.arange(10) % 2
    raise Refused


REFUSED = {
    "a missing value": lambda model, X, y: model.fit(np.full_like(X, np.nan), y),
    "a bad target of other inputs": lambda model, X, y: model.fit(X[:, :2], y * np.nan),
    "no weight": lambda model, X, y: model.fit(X[:, :2], y, np.zeros(len(y))),
    "a bad parameter": lambda model, X, y: model.set_params(dropout=2.0).fit(X, y),
    "a callback": lambda model, X, y: model.set_params(callback=refuse).fit(X[:, :2], y),
    "a bad path": lambda model, X, y: model.set_params(checkpoint="/dev/null/x").fit(X[:, :2], y),
    "a broken stream": lambda model, X, y: model.fit_stream(broken_stream),
    "a bad part": lambda model, X, y: model.partial_fit(X[:, :2], y),
}


def fitted_attributes(model):
    return {key: value for key, value in vars(model).items() if key not in model.get_params()}


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("warm_start", [False, True])
def test_a_fit_that_is_refused_leaves_the_model_as_it_was(refused, warm_start, task):
    make, X, y = task
    model = make(warm_start=warm_start).fit(X, y)
    fitted, before = fitted_attributes(model), (model.predict(X), model.weights_.copy())
    with pytest.raises((ValueError, Refused)):
        REFUSED[refused](model, X, y)
    now = fitted_attributes(model)
    assert now.keys() == fitted.keys()
    assert all(now[name] is fitted[name] for name in fitted)
    np.testing.assert_array_equal(model.predict(X), before[0])
    np.testing.assert_array_equal(model.weights_, before[1])


@pytest.mark.parametrize("refused", sorted(REFUSED.keys() - {"a bad part"}))
def test_a_first_fit_that_is_refused_leaves_nothing(refused, task):
    make, X, y = task
    model = make()
    with pytest.raises((ValueError, Refused)):
        REFUSED[refused](model, X, y)
    assert fitted_attributes(model) == {}


@pytest.mark.parametrize("labels", [np.zeros(240), np.array(["one"] * 240)])
def test_a_single_class_leaves_the_classifier_as_it_was(labels, classes):
    model = classifier().fit(*classes)
    before = model.predict(classes[0])
    with pytest.raises(ValueError, match="one class only"):
        model.fit(classes[0], labels)
    np.testing.assert_array_equal(model.predict(classes[0]), before)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


def test_refused_features_leave_the_features_as_they_were(classes):
    X, y = classes
    model = transformer().fit(X, y)
    before = model.transform(X)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X[:, :2], np.zeros(240, dtype=int))
    np.testing.assert_array_equal(model.transform(X), before)


def test_a_part_leaves_the_arrays_of_the_fit_before(task):
    make, X, y = task
    model = make().fit(X, y)
    weights, frequencies = model.weights_, model.frequencies_
    copies = weights.copy(), frequencies.copy()
    model.partial_fit(X, y)
    np.testing.assert_array_equal(weights, copies[0])
    np.testing.assert_array_equal(frequencies, copies[1])
    assert not np.array_equal(model.weights_, weights)


def test_frames_can_be_fitted_on_a_logarithmic_scale(numbers):
    pandas = pytest.importorskip("pandas")
    X, y = numbers
    named = regressor(scale_targets="log").fit(pandas.DataFrame(X, columns=["a", "b", "c"]), y)
    plain = regressor(scale_targets="log").fit(X, y)
    np.testing.assert_array_equal(named.target_log_.factor, plain.target_log_.factor)


def test_a_stream_names_the_columns_or_forgets_the_names(numbers):
    pandas = pytest.importorskip("pandas")
    X, y = numbers
    table = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(target=y)
    model = regressor().fit_stream(lambda: iter([table]), "target")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    model.fit_stream(lambda: iter([(X[:, :2], y)]))
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
