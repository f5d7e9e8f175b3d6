"""From parameters to what a fit needs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from askl.estimators.build import (
    Plan,
    choose_batch_size,
    choose_learning_rates,
    draw_model,
    make_objective,
    make_options,
    open_context,
    resolve_loss,
)
from askl.estimators.split import MIN_ROWS_TO_HOLD_OUT
from askl.learning import METHODS
from askl.spectral import Layer
from tests.models import classifier, regressor

CPU = torch.device("cpu")


def plan_of(model, solves_head=True):
    return Plan(model, model.resolve_method(), "squared", solves_head, 1)


@pytest.mark.parametrize(
    ("method", "penalty", "given"),
    [("nskl", 0.25, 0.25), ("nskl", None, None), ("askl", 0.25, None), ("askl", None, None)],
)
def test_the_penalty_of_a_solved_head_is_given_where_it_is_that_of_a_ridge(method, penalty, given):
    assert plan_of(regressor(method, head_penalty=penalty)).given_strength == given


@pytest.mark.parametrize(
    ("parameters", "solves_head", "n_samples", "expected"),
    [
        ({}, True, MIN_ROWS_TO_HOLD_OUT, True),
        ({}, True, MIN_ROWS_TO_HOLD_OUT - 1, False),
        ({}, False, 10**6, False),
        ({"head_penalty": 1e-3, "head_norm": "frobenius"}, True, 10**6, False),
        ({"early_stopping": True}, False, 5, True),
    ],
)
def test_rows_are_held_out_only_where_they_decide_something(
    parameters, solves_head, n_samples, expected
):
    assert plan_of(regressor(**parameters), solves_head).holds_out(n_samples) is expected


def test_a_seed_is_drawn_once_and_seeds_the_generator():
    random = np.random.RandomState(3)
    context = open_context(classifier(random_state=random))
    assert context.seed == np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    assert context.generator.initial_seed() == context.seed
    assert (context.group, context.device) == (None, CPU)
    assert open_context(classifier(random_state=random)).seed != context.seed
    before = random.get_state()[2]
    assert open_context(classifier(random_state=random), seed=7).seed == 7
    assert random.get_state()[2] == before, "a given seed draws nothing"


def test_a_loss_of_the_other_task_is_refused():
    assert resolve_loss(classifier(), "log") == "log"
    assert resolve_loss(classifier(loss="hinge"), "log") == "hinge"
    with pytest.raises(ValueError, match=r"'auto' or one of \['squared'\]. Got 'log' instead"):
        resolve_loss(regressor(loss="log"), "squared")


def test_layers_are_drawn_one_after_the_other_and_the_head_is_zero(generator):
    parameters = classifier(n_components=6, hidden_components=(5, 4), activation="paired")
    model = draw_model(parameters, METHODS["askl"], 3, 2, generator, CPU)
    shapes = [(2, 3, 5), (2, 10 + 3, 4), (2, 8 + 3, 6)]
    assert [layer.frequencies.shape for layer in model.layers] == shapes
    assert [layer.phases.shape for layer in model.layers] == [(2, 5), (2, 4), (2, 6)]
    assert model.weights.shape == (12, 2)
    assert not model.weights.any()


def test_the_scale_of_hidden_frequencies_keeps_angles_of_order_one(generator):
    parameters = classifier(n_components=2000, hidden_components=(400,), density="gaussian")
    _, last = draw_model(parameters, METHODS["sk"], 10, 1, generator, CPU).layers
    assert float(last.frequencies.std()) == pytest.approx(0.5 / 20.0, rel=0.02)


def test_a_given_scale_is_that_of_the_first_layer(generator):
    parameters = classifier(n_components=4000, density="gaussian", frequency_scale=3.0)
    (layer,) = draw_model(parameters, METHODS["sk"], 10, 1, generator, CPU).layers
    assert float(layer.frequencies.std()) == pytest.approx(3.0, rel=0.02)


def test_the_objective_is_that_of_the_row():
    row = METHODS["askl"]._replace(head_penalty=0.5, feature_penalty=0.25)
    assert make_objective("log", row).total(1.0, 2.0, 4.0) == 1.0 + 0.5 * 2.0 + 0.25 * 4.0


def test_the_batch_size_is_clipped_and_grows_with_the_data():
    assert choose_batch_size(50, 20) == 20
    assert choose_batch_size(50, 200) == 50
    sizes = [choose_batch_size("auto", n) for n in (10, 1000, 8192, 10**6)]
    assert sizes == [32, 32, 128, 256]


def make_layers(*n_inputs):
    return tuple(Layer(torch.zeros(1, n, 2), torch.zeros(1, 2)) for n in n_inputs)


def test_learning_rates_decrease_with_the_inputs_of_a_layer():
    layers = make_layers(4, 64, 400)
    assert choose_learning_rates("auto", layers) == pytest.approx((0.01, 0.005, 0.002))
    assert choose_learning_rates(0.1, layers) == pytest.approx((0.1, 0.05, 0.02))
    assert choose_learning_rates(0.1, layers[1:]) == pytest.approx((0.1, 0.04))


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("early_stopping", [True, False])
def test_options_are_the_parameters(learned, early_stopping, generator):
    parameters = classifier(
        optimizer="sgd",
        schedule="constant",
        batch_size=500,
        max_epochs=7,
        dropout=0.25,
        input_noise=0.5,
        head_learning_rate=0.125,
        n_iter_no_change=3,
        early_stopping=early_stopping,
        record_every=11,
    )
    method = METHODS["askl"]._replace(learn_frequencies=learned)
    model = draw_model(parameters, method, 3, 1, generator, CPU)
    options = make_options(parameters, method, model, n_samples=200)
    assert options.learning_rates == ((0.01,) if learned else ())
    assert options._replace(learning_rates=()) == (
        (), 0.125, "sgd", "constant", 200, 7, 0.25, 0.5, 3 if early_stopping else None, 11,
        options.prox_tolerance,
    )  # fmt: skip
