from __future__ import annotations

import math

import pytest
import torch

from askl.learning import HEAD_NORMS, SCHEDULES, HeadNorm, Objective, squared_loss
from tests.learning.problem import FULL_BATCH, N_SAMPLES, fit, make_problem

FACTORS = {
    "constant": lambda progress: 1.0,
    "cosine": lambda progress: (1.0 + math.cos(math.pi * progress)) / 2.0,
}


@pytest.mark.parametrize("name", FACTORS)
def test_both_rates_follow_the_schedule(name):
    thresholds = []

    def prox(weights, threshold):
        thresholds.append(threshold)
        return weights

    rows, model = make_problem()
    norm = HeadNorm(HEAD_NORMS["trace"].value, prox)
    options = FULL_BATCH._replace(schedule=name, batch_size=10)
    fit(model, rows, options, Objective(squared_loss, norm, head_penalty=2.0))
    factors = [FACTORS[name](step / 12) for step in range(12)]
    assert thresholds == pytest.approx([2.0 * 0.5 * factor for factor in factors])


@pytest.mark.parametrize("norm", HEAD_NORMS)
def test_postponing_small_proximal_steps_changes_next_to_nothing(norm):
    objective = Objective(squared_loss, HEAD_NORMS[norm], head_penalty=1e-6)
    options = FULL_BATCH._replace(batch_size=1, head_learning_rate=0.1)
    counts, weights = [], []
    for tolerance in (options.prox_tolerance, 0.0):
        thresholds = []

        def prox(weights, threshold, thresholds=thresholds):
            thresholds.append(threshold)
            return HEAD_NORMS[norm].prox(weights, threshold)

        rows, model = make_problem()
        counted = objective._replace(head_norm=HeadNorm(HEAD_NORMS[norm].value, prox))
        fit(model, rows, options._replace(prox_tolerance=tolerance), counted)
        assert sum(thresholds) == pytest.approx(3 * N_SAMPLES * 1e-6 * 0.1)
        counts.append(len(thresholds))
        weights.append(model.weights)
    assert counts[0] < counts[1] == 3 * N_SAMPLES
    torch.testing.assert_close(weights[0], weights[1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_begins_at_the_full_rate_and_stays_between_it_and_zero(name):
    factors = [SCHEDULES[name](step / 100) for step in range(101)]
    assert factors[0] == 1.0
    assert all(0.0 <= factor <= 1.0 for factor in factors)
