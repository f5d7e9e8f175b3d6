"""What a run records, when it stops, and what it leaves behind."""

from __future__ import annotations

import pytest
import torch

from askl.learning import HEAD_NORMS, Objective, compute_outputs, squared_loss
from tests import naive
from tests.learning.problem import FULL_BATCH, fit, make_problem, whole


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
