from __future__ import annotations

import math

import pytest
import torch

from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    Model,
    Objective,
    TensorRows,
    TrainingOptions,
    compute_features,
    train,
)
from askl.learning.norms.feature_strength import feature_penalty_of_strength
from askl.learning.objective import smooth_terms
from askl.spectral import Layer

NULL_LOSSES = {
    "log": lambda n_outputs, targets: math.log(n_outputs),
    "smoothed_log": lambda n_outputs, targets: math.log(n_outputs),
    "hinge": lambda n_outputs, targets: 1.0,
    "squared": lambda n_outputs, targets: float((targets**2).sum(dim=1).mean()),
}


def make_rows(n_samples, n_outputs, loss, generator, width=16):
    features = torch.randn(n_samples, width, generator=generator)
    if LOSSES[loss].task == "regression":
        return features, torch.randn(n_samples, n_outputs, generator=generator)
    return features, torch.randint(n_outputs, (n_samples,), generator=generator)


def share_of_the_penalty(penalty, features, targets, loss, n_outputs):
    """λ₂ mean ‖φ‖² over the loss of the null model, by the terms that training adds up."""
    objective = Objective(LOSSES[loss].evaluate, HEAD_NORMS["trace"], feature_penalty=penalty)
    outputs = torch.zeros(len(features), n_outputs)
    loss_sum, feature_norm_sum, _ = smooth_terms(objective, features, outputs, targets, None)
    mean_loss, feature_norm = float(loss_sum) / len(features), float(feature_norm_sum)
    whole = objective.total(mean_loss, 0.0, feature_norm / len(features))
    return (whole - mean_loss) / mean_loss


@pytest.mark.parametrize("n_samples", [10, 1000])
@pytest.mark.parametrize("n_outputs", [2, 5])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_strength_is_the_share_of_the_penalty_in_the_objective(
    loss, n_outputs, n_samples, generator
):
    features, targets = make_rows(n_samples, n_outputs, loss, generator)
    penalty = feature_penalty_of_strength(0.3, features, targets, LOSSES[loss].evaluate, n_outputs)
    null_loss = NULL_LOSSES[loss](n_outputs, targets)
    norm = float((features**2).sum(dim=1).mean())
    assert penalty == pytest.approx(0.3 * null_loss / norm, rel=1e-5)
    share = share_of_the_penalty(penalty, features, targets, loss, n_outputs)
    assert share == pytest.approx(0.3, rel=1e-5)


def test_a_weight_of_two_is_a_row_twice(generator):
    features, targets = make_rows(30, 2, "squared", generator)
    counts = torch.arange(30) % 3
    loss = LOSSES["squared"].evaluate
    weighted = feature_penalty_of_strength(1.0, features, targets, loss, 2, counts.float())
    index = torch.arange(30).repeat_interleave(counts)
    repeated = feature_penalty_of_strength(1.0, features[index], targets[index], loss, 2)
    assert weighted == pytest.approx(repeated, rel=1e-6)


def test_the_same_strength_learns_the_same_features_in_every_unit_of_the_loss(generator):
    inputs = torch.randn(200, 3, generator=generator)
    rows = TensorRows(inputs, (inputs[:, 0] > 0).long())
    layer = Layer(torch.randn(2, 3, 10, generator=generator), torch.rand(2, 10))
    first = Model((layer,), torch.zeros(10, 2))

    def learned(factor, strength):
        def loss(outputs, targets):
            return tuple(factor * part for part in LOSSES["log"].evaluate(outputs, targets))

        features = compute_features(inputs, first.layers)
        penalty = feature_penalty_of_strength(strength, features, rows.targets, loss, 2)
        model = first.copy()
        options = TrainingOptions((0.01,), 0.05, batch_size=20, max_epochs=3)
        objective = Objective(loss, HEAD_NORMS["trace"], feature_penalty=penalty)
        train(model, objective, rows, options, generator=torch.Generator().manual_seed(0))
        return model.layers[0].frequencies

    # Steps of Adam do not depend on the unit of the objective.
    torch.testing.assert_close(learned(100.0, 1.0), learned(1.0, 1.0), rtol=1e-3, atol=1e-3)
    assert float((learned(1.0, 1.0) - learned(1.0, 0.0)).abs().max()) > 0.03


def test_features_of_zeros_have_no_relative_penalty():
    classes = torch.tensor([0, 1, 0])
    with pytest.raises(ValueError, match="must not all be zero"):
        feature_penalty_of_strength(0.1, torch.zeros(3, 2), classes, LOSSES["log"].evaluate, 2)
