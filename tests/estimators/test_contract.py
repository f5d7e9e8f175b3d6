"""What every method must do for every task."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.base import clone

from askl.learning import METHODS, singular_values
from askl.spectral import ACTIVATIONS, DENSITIES
from tests.models import classifier, regressor

TASKS = {"classes": classifier, "numbers": regressor}


@pytest.fixture(params=TASKS)
def task(request):
    """An estimator's factory, and inputs and targets for it."""
    return TASKS[request.param], *request.getfixturevalue(request.param)


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def test_a_method_learns_its_task(task, method):
    make, X, y = task
    model = make(method, max_epochs=20, n_components=100).fit(X[:180], y[:180])
    # Chance is 1/3 for the classes, 0 for R².
    assert model.score(X[180:], y[180:]) > 0.6
    assert model.predict(X).shape == (240,)
    assert np.isfinite(model.transform(X)).all()


def test_the_shapes_are_those_of_the_row(task, method):
    make, X, y = task
    model, row = make(method).fit(X, y), METHODS[method]
    n_outputs = 3 if make is classifier else 1
    assert model.frequencies_.shape == (row.n_branches, 3, 60)
    assert model.phases_.shape == (row.n_branches, 60)
    assert model.weights_.shape == (60, n_outputs)
    assert model.feature_relevance_.shape == (3,)
    assert model.n_features_in_ == 3
    assert {a.dtype for pair in model.layers_ for a in pair} == {np.dtype(np.float32)}


def test_learned_methods_move_frequencies_and_assigned_ones_do_not(task, method):
    make, X, y = task
    long = make(method).fit(X, y)
    # An assigned twin draws the same frequencies from the same seed.
    drawn = make(method, learn_frequencies=False).fit(X, y)
    moved = not np.array_equal(long.frequencies_, drawn.frequencies_)
    assert moved == METHODS[method].learn_frequencies
    np.testing.assert_array_equal(long.phases_, drawn.phases_)


def test_the_history_has_a_record_an_epoch(task, method):
    make, X, y = task
    model = make(method).fit(X, y)
    exact = make is regressor and not METHODS[method].learn_frequencies
    assert model.n_iter_ == len(model.history_) == (0 if exact else 10)
    row = METHODS[method]
    for epoch, record in enumerate(model.history_, start=1):
        assert record.epoch == epoch
        penalties = row.head_penalty * record.head_norm + row.feature_penalty * record.feature_norm
        assert record.objective == pytest.approx(record.loss + penalties)
    losses = [record.loss for record in model.history_]
    assert exact or losses[-1] < losses[0]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (20,)], ids=["shallow", "deep"])
def test_every_activation_learns(task, activation, hidden):
    make, X, y = task
    model = make(
        activation=activation,
        hidden_components=hidden,
        density="gaussian",
        max_epochs=60,
        learning_rate=0.005,
        head_learning_rate=0.2,
        dropout=0.0,
    )
    assert model.fit(X, y).score(X, y) > 0.5
    assert model.transform(X).shape[1] == (120 if activation == "paired" else 60)
    # What is not periodic bends on both sides of the inputs' centre.
    assert (model.phases_ < 0.0).any() != ACTIVATIONS[activation].periodic


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("phases", ["shared", "independent"])
def test_every_density_and_kind_of_phases_learns(task, density, phases):
    make, X, y = task
    model = make(density=density, phases=phases).fit(X, y)
    assert model.score(X, y) > 0.6
    assert np.array_equal(*model.phases_) == (phases == "shared")


@pytest.mark.parametrize("hidden", [(20,), (20, 10)])
def test_hidden_components_make_a_stack(task, hidden):
    make, X, y = task
    model = make(hidden_components=hidden, max_epochs=20).fit(X, y)
    shapes = [frequencies.shape for frequencies, _ in model.layers_]
    below = [0, *hidden]
    widths = [*hidden, 60]
    assert shapes == [(2, b + 3, w) for b, w in zip(below, widths, strict=True)]
    assert model.score(X, y) > 0.7


def rank(model):
    return int((singular_values(torch.from_numpy(model.weights_)) > 1e-4).sum())


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_a_large_head_penalty_shrinks_the_rank_of_askl(loss, classes):
    options = {"loss": loss, "max_epochs": 20}
    models = [classifier(head_penalty=p, **options).fit(*classes) for p in (0.0, 1.0, 10.0)]
    assert [rank(model) for model in models] == [3, 2, 0]


def test_a_large_head_penalty_shrinks_the_rank_of_several_outputs(numbers):
    X, y = numbers
    targets = np.column_stack([y, y + X[:, 2], X[:, 2]])
    models = [
        regressor(refit_head=False, head_penalty=penalty).fit(X, targets)
        for penalty in (0.0, 1.0, 100.0)
    ]
    assert [rank(model) for model in models] == [3, 2, 0]


def test_a_fitted_model_can_be_cloned_and_fitted_again_to_the_same_bits(task, method):
    make, X, y = task
    model = make(method).fit(X, y)
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.weights_, again.weights_)
    np.testing.assert_array_equal(model.frequencies_, again.frequencies_)
