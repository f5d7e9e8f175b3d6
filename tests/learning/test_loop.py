"""What a step does with noise and dropout, when a run stops, and which model remains."""

from __future__ import annotations

import pytest
import torch

from askl.learning import (
    HEAD_NORMS,
    Model,
    Objective,
    TensorRows,
    compute_outputs,
    squared_loss,
)
from askl.spectral import Layer
from tests import naive
from tests.learning.problem import FULL_BATCH, fit, make_problem, scripted, whole


def test_dropout_draws_from_the_generator_and_regularises():
    rows, model = make_problem(n_components=40)
    options = FULL_BATCH._replace(optimizer="adam", max_epochs=200, head_learning_rate=0.1)
    plain, dropped, again = model.copy(), model.copy(), model.copy()
    losses = [
        fit(copy, rows, options._replace(dropout=rate)).history[-1].loss
        for copy, rate in ((plain, 0.0), (dropped, 0.5), (again, 0.5))
    ]
    assert torch.equal(dropped.weights, again.weights)
    assert losses[1] > losses[0]
    assert dropped.weights.norm() < plain.weights.norm()


def test_noisy_inputs_damp_a_frequency_by_its_characteristic_function():
    generator = torch.Generator().manual_seed(0)
    frequencies = torch.randn(1, 2, 5, generator=generator, dtype=torch.float64)
    layer = Layer(frequencies, torch.rand(1, 5, generator=generator, dtype=torch.float64))
    rows = TensorRows(torch.ones(200_000, 2).double(), torch.ones(200_000, 1).double())
    objective = Objective(squared_loss, HEAD_NORMS["trace"], 0.0, 0.0)
    options = FULL_BATCH._replace(learning_rates=(), batch_size=200_000, max_epochs=1)
    heads = []
    for noise in (0.0, 0.7):
        model = Model((layer,), torch.zeros(5, 1).double())
        fit(model, rows, options._replace(input_noise=noise), objective)
        heads.append(model.weights[:, 0])  # from zero a step goes along the mean features
    # E cos(ω(x + σξ) + b) = exp(-σ²‖ω‖² / 2) cos(ωx + b)
    damping = torch.exp(-0.5 * 0.7**2 * frequencies[0].square().sum(dim=0))
    torch.testing.assert_close(heads[1], damping * heads[0], rtol=0.0, atol=0.01)


def test_a_callback_and_the_trained_model_are_free_to_use_autograd():
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS["trace"])
    slopes = []

    def callback(progress, current):
        with torch.enable_grad():
            weights = current.weights.detach().requires_grad_()
            value = naive.smooth_objective(Model(current.layers, weights), objective, whole(rows))
            slopes.append(torch.autograd.grad(value, weights)[0])

    fit(model, rows, FULL_BATCH, objective, callback=callback)
    assert [slope.shape for slope in slopes] == [model.weights.shape] * FULL_BATCH.max_epochs
    assert not any(tensor.is_inference() for tensor in model.tensors().values())


def test_early_stopping_restores_the_best_weights():
    rows, model = make_problem()
    score, models = scripted([0.1, 0.5, 0.3, 0.5, 0.9])
    result = fit(model, rows, FULL_BATCH._replace(max_epochs=5, patience=2), score=score)
    assert result.stop == "early_stopping"
    assert result.n_epochs == 4
    assert [record.score for record in result.history] == [0.1, 0.5, 0.3, 0.5]
    assert torch.equal(model.weights, models[1].weights)
    assert torch.equal(model.layers[0].frequencies, models[1].layers[0].frequencies)
    assert not torch.equal(model.weights, models[3].weights)


def test_without_patience_the_best_epoch_is_still_kept():
    rows, model = make_problem()
    score, models = scripted([0.1, 0.9, 0.3])
    result = fit(model, rows, FULL_BATCH, score=score)
    assert result.stop == "max_epochs"
    assert torch.equal(model.weights, models[1].weights)


def test_without_a_score_the_last_epoch_is_kept():
    rows, model = make_problem()
    last = []
    fit(model, rows, FULL_BATCH, callback=lambda _, model: last.append(model.weights.clone()))
    assert torch.equal(model.weights, last[-1])
    assert not torch.equal(model.weights, last[-2])


@pytest.mark.parametrize("record_every", [None, 1, 10_000])
def test_a_diverging_run_stops_and_leaves_finite_numbers(record_every):
    rows, model = make_problem()
    options = FULL_BATCH._replace(head_learning_rate=1e30, max_epochs=50)
    result = fit(model, rows, options._replace(record_every=record_every))
    assert result.stop == "diverged"
    assert result.n_epochs < 50
    assert model.weights.isfinite().all()
    assert model.layers[0].frequencies.isfinite().all()


def test_frequencies_that_overflow_before_the_loss_does_are_seen():
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=1e6)
    result = fit(model, rows, FULL_BATCH._replace(learning_rates=(1e306,)), objective)
    assert result.stop == "diverged"
    assert model.layers[0].frequencies.isfinite().all()


def test_a_diverging_run_leaves_its_best_state():
    rows, model = make_problem()
    start = whole(rows).targets.square().sum(dim=1).mean()  # the loss of a head of zeros
    result = fit(model, rows, FULL_BATCH._replace(head_learning_rate=50.0, max_epochs=10_000))
    assert result.stop == "diverged"
    loss, _ = squared_loss(compute_outputs(whole(rows).inputs, model), rows.targets)
    assert loss.mean() <= start


@pytest.mark.parametrize("with_score", [False, True])
def test_an_interrupted_run_keeps_its_last_model(with_score):
    rows, model = make_problem()
    kept = []

    def interrupt(progress, model):
        kept.append(model.weights.clone())
        if progress.epoch == 2:
            raise KeyboardInterrupt

    score, _ = scripted([0.9, 0.1])
    result = fit(model, rows, FULL_BATCH, callback=interrupt, score=score if with_score else None)
    assert result.stop == "interrupted"
    assert len(result.history) == 2
    assert torch.equal(model.weights, kept[-1])


def test_an_error_of_the_callback_reaches_the_caller():
    def fail(progress, model):
        raise RuntimeError("mine")

    rows, model = make_problem()
    with pytest.raises(RuntimeError, match="mine"):
        fit(model, rows, FULL_BATCH, callback=fail)
