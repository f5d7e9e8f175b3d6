from __future__ import annotations

import math

import pytest
import torch

from askl.learning import (
    HEAD_NORMS,
    HeadNorm,
    Model,
    NormalEquations,
    Objective,
    TensorRows,
    TrainingOptions,
    compute_features,
    compute_outputs,
    log_loss,
    squared_loss,
    train,
)
from askl.learning import training as module
from askl.learning.training import OPTIMIZERS, SCHEDULES
from askl.spectral import Layer
from tests import naive

DOUBLE = torch.float64
N_SAMPLES = 40


def make_problem(*, n_components=6, n_outputs=2, seed=0):
    """Some rows, and a model in float64 that has yet to learn them."""
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(N_SAMPLES, 2, generator=generator, dtype=DOUBLE)
    targets = torch.stack([inputs.sum(dim=1).sin(), inputs[:, 0].square()], dim=1)[:, :n_outputs]
    frequencies = torch.randn(2, 2, n_components, generator=generator, dtype=DOUBLE)
    phases = 6.0 * torch.rand(1, n_components, generator=generator, dtype=DOUBLE)
    layer = Layer(frequencies, phases.expand(2, -1).contiguous())
    return TensorRows(inputs, targets), Model(
        (layer,), torch.zeros(n_components, n_outputs).double()
    )


def whole(rows):
    return rows.rows(torch.arange(N_SAMPLES))


def fit(model, rows, options, objective=None, seed=0, **extra):
    objective = objective or Objective(squared_loss, HEAD_NORMS["trace"], 1e-3, 1e-2)
    return train(
        model, objective, rows, options, generator=torch.Generator().manual_seed(seed), **extra
    )


FULL_BATCH = TrainingOptions(
    (0.05,), 0.5, optimizer="sgd", schedule="constant", batch_size=N_SAMPLES, max_epochs=3
)


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


@pytest.mark.parametrize("norm", HEAD_NORMS)
def test_putting_off_small_proximal_steps_changes_next_to_nothing(norm, monkeypatch):
    objective = Objective(squared_loss, HEAD_NORMS[norm], head_penalty=1e-6)
    counts, weights = [], []
    for tolerance in (module.PROX_TOLERANCE, 0.0):
        monkeypatch.setattr(module, "PROX_TOLERANCE", tolerance)
        thresholds = []

        def prox(weights, threshold, thresholds=thresholds):
            thresholds.append(threshold)
            return HEAD_NORMS[norm].prox(weights, threshold)

        rows, model = make_problem()
        counted = objective._replace(head_norm=HeadNorm(HEAD_NORMS[norm].value, prox))
        fit(model, rows, FULL_BATCH._replace(batch_size=1, head_learning_rate=0.1), counted)
        assert sum(thresholds) == pytest.approx(3 * N_SAMPLES * 1e-6 * 0.1)
        counts.append(len(thresholds))
        weights.append(model.weights)
    assert counts[0] < counts[1] == 3 * N_SAMPLES
    torch.testing.assert_close(weights[0], weights[1], rtol=1e-4, atol=1e-6)


def test_the_model_keeps_its_memory():
    rows, model = make_problem()
    places = model.weights.data_ptr(), model.layers[0].frequencies.data_ptr()
    fit(model, rows, FULL_BATCH)
    assert (model.weights.data_ptr(), model.layers[0].frequencies.data_ptr()) == places


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_is_torch_s_own(name):
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    mine = model.copy()
    leaves = [mine.layers[0].frequencies.requires_grad_(), mine.weights.requires_grad_()]
    kind = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD, "adadelta": torch.optim.Adadelta}
    groups = [{"params": [leaves[0]], "lr": 0.05}, {"params": [leaves[1]], "lr": 0.5}]
    optimizer = kind[name](groups, foreach=False)
    for _ in range(FULL_BATCH.max_epochs):
        optimizer.zero_grad()
        naive.smooth_objective(mine, objective, whole(rows)).backward()
        optimizer.step()
    fit(model, rows, FULL_BATCH._replace(optimizer=name), objective)
    torch.testing.assert_close(model.layers[0].frequencies, leaves[0].detach())
    torch.testing.assert_close(model.weights, leaves[1].detach())


@pytest.mark.parametrize("strength", [0.0, 0.01])
def test_assigned_frequencies_reach_the_least_squares_limit(strength):
    rows, model = make_problem(n_components=4)
    before = model.layers[0].frequencies.clone()
    objective = Objective(squared_loss, HEAD_NORMS["frobenius"], head_penalty=strength)
    options = FULL_BATCH._replace(learning_rates=(), head_learning_rate=1.0, max_epochs=4000)
    result = fit(model, rows, options, objective)
    exact = NormalEquations(model.layers, compute_features).add([whole(rows)]).solve(strength)
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


def test_the_history_adds_up():
    rows, model = make_problem()
    objective = Objective(squared_loss, HEAD_NORMS["trace"], head_penalty=0.3, feature_penalty=0.7)
    norms = []
    result = fit(
        model,
        rows,
        FULL_BATCH._replace(batch_size=7),
        objective,
        callback=lambda progress, model: norms.append(
            float(HEAD_NORMS["trace"].value(model.weights))
        ),
    )
    assert result.n_epochs == 3
    assert [record.epoch for record in result.history] == [1, 2, 3]
    assert [record.iteration for record in result.history] == [6, 12, 18]
    assert [record.head_norm for record in result.history] == norms
    for record in result.history:
        expected = record.loss + 0.3 * record.head_norm + 0.7 * record.feature_norm
        assert record.objective == pytest.approx(expected, rel=1e-12)
        assert record.score is None
    seconds = [record.seconds for record in result.history]
    assert 0.0 < seconds[0] < seconds[1] < seconds[2]


def test_a_full_batch_record_holds_the_loss_before_the_step():
    rows, model = make_problem()
    start = model.copy()
    record = fit(model, rows, FULL_BATCH._replace(max_epochs=1)).history[0]
    batch = whole(rows)
    features = naive.plain_features(batch.inputs, start.layers)
    assert record.loss == pytest.approx(float(batch.targets.square().sum(dim=1).mean()))
    assert record.feature_norm == pytest.approx(float(features.square().sum(dim=1).mean()))


def test_records_can_be_kept_every_few_iterations():
    rows, model = make_problem()
    options = FULL_BATCH._replace(batch_size=10, record_every=5)
    seen = []
    result = fit(model, rows, options, callback=lambda progress, _: seen.append(progress))
    assert [record.iteration for record in result.history] == [5, 10]
    assert seen == result.history
    every = fit(make_problem()[1], rows, options._replace(record_every=1)).history
    assert len(every) == 12
    assert result.history[0].loss == pytest.approx(sum(r.loss for r in every[:5]) / 5)


@pytest.mark.parametrize("name", SCHEDULES)
def test_both_rates_follow_the_schedule(name):
    thresholds = []

    def prox(weights, threshold):
        thresholds.append(threshold)
        return weights

    rows, model = make_problem()
    norm = HeadNorm(HEAD_NORMS["trace"].value, prox)
    options = FULL_BATCH._replace(schedule=name, batch_size=10)
    fit(model, rows, options, Objective(squared_loss, norm, head_penalty=2.0))
    factors = [
        1.0 if name == "constant" else 0.5 * (1.0 + math.cos(math.pi * step / 12))
        for step in range(12)
    ]
    assert thresholds == pytest.approx([2.0 * 0.5 * factor for factor in factors])


def scripted(scores):
    """A score that follows a script, and keeps a copy of every model it saw."""
    models = []

    def score(model):
        models.append(model.copy())
        return scores[len(models) - 1]

    return score, models


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
def test_an_interrupted_run_keeps_what_it_has(with_score):
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


def test_an_error_of_the_callback_is_not_swallowed():
    def fail(progress, model):
        raise RuntimeError("mine")

    rows, model = make_problem()
    with pytest.raises(RuntimeError, match="mine"):
        fit(model, rows, FULL_BATCH, callback=fail)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_optimizer_s_state_lets_a_run_go_on(name):
    rows, model = make_problem()
    options = FULL_BATCH._replace(optimizer=name, max_epochs=2)
    once = model.copy()
    fit(once, rows, options)
    state = None
    for _ in range(2):
        result = fit(model, rows, options._replace(max_epochs=1), optimizer_state=state)
        state = result.optimizer_state
    # Batches of all rows differ by their order only.
    torch.testing.assert_close(model.weights, once.weights)
    torch.testing.assert_close(model.layers[0].frequencies, once.layers[0].frequencies)


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
