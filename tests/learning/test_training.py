from __future__ import annotations

import pytest
import torch

from askl.learning import (
    HEAD_NORMS,
    OPTIMIZERS,
    Model,
    NormalEquations,
    Objective,
    TensorRows,
    TrainingOptions,
    compute_features,
    log_loss,
    squared_loss,
    train,
)
from askl.spectral import Layer
from tests import naive
from tests.learning.problem import FULL_BATCH, N_SAMPLES, fit, make_problem, whole


@pytest.mark.parametrize("norm", HEAD_NORMS)
def test_full_batch_sgd_is_a_gradient_step_and_a_proximal_step(norm):
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS[norm], head_penalty=0.02, feature_penalty=0.1)
    omega, weights = model.layers[0].frequencies.clone(), model.weights.clone()
    for _ in range(FULL_BATCH.max_epochs):
        omega, weights = omega.requires_grad_(), weights.requires_grad_()
        layer = model.layers[0]._replace(frequencies=omega)
        value = naive.smooth_objective(Model((layer,), weights), objective, whole(rows))
        to_omega, to_weights = torch.autograd.grad(value, (omega, weights))
        omega = (omega - 0.05 * to_omega).detach()
        stepped = (weights - 0.5 * to_weights).detach()
        if norm == "trace":
            weights = torch.from_numpy(naive.prox_trace_norm(stepped, 0.5 * 0.02))
        else:
            weights = stepped / (1.0 + 2.0 * 0.5 * 0.02)
    fit(model, rows, FULL_BATCH, objective)
    torch.testing.assert_close(model.layers[0].frequencies, omega)
    torch.testing.assert_close(model.weights, weights)


@pytest.mark.parametrize("strength", [0.0, 0.01])
def test_assigned_frequencies_reach_the_least_squares_limit(strength):
    rows, model = make_problem(n_components=4)
    before = model.layers[0].frequencies.clone()
    objective = Objective(squared_loss, HEAD_NORMS["frobenius"], head_penalty=strength)
    options = FULL_BATCH._replace(learning_rates=(), head_learning_rate=1.0, max_epochs=4000)
    result = fit(model, rows, options, objective)
    exact = NormalEquations(model.layers).add([whole(rows)]).solve(strength)
    torch.testing.assert_close(model.weights, exact, rtol=1e-6, atol=1e-8)
    assert torch.equal(model.layers[0].frequencies, before)
    assert result.stop == "max_epochs"


def test_the_trace_norm_limit_is_a_fixed_point_of_its_own_step():
    rows, model = make_problem(n_components=4)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], head_penalty=0.05)
    options = FULL_BATCH._replace(learning_rates=(), head_learning_rate=1.0, max_epochs=4000)
    fit(model, rows, options, objective)
    features, targets = compute_features(whole(rows).inputs, model.layers), rows.targets
    gradient = 2.0 * features.t() @ (features @ model.weights - targets) / N_SAMPLES
    again = naive.prox_trace_norm(model.weights - gradient, 0.05)
    torch.testing.assert_close(model.weights, torch.from_numpy(again), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("batch_size", [1, 7, N_SAMPLES])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_lowers_the_loss_for_every_batch_size(name, batch_size):
    rows, model = make_problem(n_components=20)
    rate, head_rate = (1.0, 1.0) if name == "adadelta" else (0.01, 0.1)
    options = TrainingOptions(
        (rate,), head_rate, optimizer=name, batch_size=batch_size, max_epochs=10 + 5 * batch_size
    )
    history = fit(model, rows, options).history
    assert history[-1].loss < 0.9 * history[0].loss


def test_training_a_stack_moves_every_layer():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(60, 2, generator=generator)
    layers = (
        Layer(torch.randn(2, 2, 8, generator=generator), torch.rand(2, 8)),
        Layer(0.2 * torch.randn(2, 10, 12, generator=generator), torch.rand(2, 12)),
    )
    model = Model(layers, torch.zeros(12, 2))
    before = model.copy()
    rows = TensorRows(inputs, (inputs.prod(dim=1) > 0).long())
    objective = Objective(log_loss, HEAD_NORMS["trace"])
    options = TrainingOptions((0.01, 0.01), 0.1, batch_size=16, max_epochs=60)
    result = train(model, objective, rows, options, generator=generator)
    assert result.history[-1].loss < 0.2 < result.history[0].loss
    for now, then in zip(model.layers, before.layers, strict=True):
        assert not torch.equal(now.frequencies, then.frequencies)
        assert torch.equal(now.phases, then.phases)


def test_sample_weights_are_repetition_in_a_full_batch():
    rows, model = make_problem()
    repeats = torch.arange(N_SAMPLES) % 3 + 1
    weights = repeats.double() / repeats.double().mean()
    batch = whole(rows)
    index = torch.repeat_interleave(torch.arange(N_SAMPLES), repeats)
    weighted, repeated = model.copy(), model.copy()
    fit(weighted, TensorRows(batch.inputs, batch.targets, weights), FULL_BATCH)
    longer = TensorRows(batch.inputs[index], batch.targets[index])
    fit(repeated, longer, FULL_BATCH._replace(batch_size=len(index)))
    torch.testing.assert_close(weighted.weights, repeated.weights)
    torch.testing.assert_close(weighted.layers[0].frequencies, repeated.layers[0].frequencies)


def test_the_model_keeps_its_memory():
    rows, model = make_problem()
    places = model.weights.data_ptr(), model.layers[0].frequencies.data_ptr()
    fit(model, rows, FULL_BATCH)
    assert (model.weights.data_ptr(), model.layers[0].frequencies.data_ptr()) == places


def test_the_generator_decides_all_and_the_global_one_is_untouched():
    before = torch.get_rng_state()
    results = []
    for seed in (1, 1, 2):
        rows, model = make_problem()
        fit(model, rows, FULL_BATCH._replace(batch_size=7), seed=seed)
        results.append(model.weights)
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])
    assert torch.equal(torch.get_rng_state(), before)
