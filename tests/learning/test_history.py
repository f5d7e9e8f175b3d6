from __future__ import annotations

import pytest
import torch

from askl.learning import HEAD_NORMS, Objective, squared_loss
from askl.learning.history import RunningMeans
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


def test_each_mean_starts_again_when_it_is_taken():
    means = RunningMeans(torch.device("cpu"))
    for loss in (1.0, 2.0):
        means.add(torch.tensor(loss), torch.tensor(10.0 * loss))
    assert means.take("loss") == 1.5
    means.add(torch.tensor(6.0), torch.tensor(60.0))
    restored = RunningMeans(torch.device("cpu"))
    restored.restore(means.tensors())
    for each in (means, restored):
        assert (each.take("loss"), each.take("feature_norm")) == (6.0, 30.0)
        assert each.take("epoch_loss") == 3.0
