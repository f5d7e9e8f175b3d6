from __future__ import annotations

import math

import pytest
import torch

from askl.learning import HEAD_NORMS, SCHEDULES, HeadNorm, Objective, squared_loss
from tests.learning.problem import FULL_BATCH, N_SAMPLES, fit, make_problem


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
