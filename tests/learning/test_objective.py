from __future__ import annotations

import pytest
import torch

from askl.learning import HEAD_NORMS, Objective, squared_loss
from askl.learning.objective import smooth_terms


def test_the_total_adds_up_loss_and_penalties():
    objective = Objective(squared_loss, HEAD_NORMS["trace"], head_penalty=0.5, feature_penalty=2.0)
    assert objective.total(loss=1.0, head_norm=4.0, feature_norm=0.25) == 3.5


@pytest.mark.parametrize("weighted", [False, True])
def test_the_smooth_terms_equal_a_loop_over_samples(weighted, generator):
    features = torch.randn(7, 4, generator=generator, dtype=torch.float64)
    outputs, targets = features[:, :2] * 3.0, features[:, 2:]
    weights = torch.rand(7, generator=generator, dtype=torch.float64) if weighted else None
    objective = Objective(squared_loss, HEAD_NORMS["trace"])
    terms = smooth_terms(objective, features, outputs, targets, weights)
    loss = norm = 0.0
    for row in range(7):
        weight = float(weights[row]) if weighted else 1.0
        residual = outputs[row] - targets[row]
        loss += weight * float(residual @ residual)
        norm += weight * float(features[row] @ features[row])
        torch.testing.assert_close(terms.output_gradients[row], 2.0 * weight * residual)
    assert float(terms.loss_sum) == pytest.approx(loss)
    assert float(terms.feature_norm_sum) == pytest.approx(norm)
