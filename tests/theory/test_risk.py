from __future__ import annotations

import math

import pytest
import torch

from askl.learning import LOSSES
from askl.theory import (
    LOSS_CONSTANTS,
    LossConstants,
    excess_risk_bound,
    generalization_gap_bound,
    loss_constants,
)


def test_every_loss_has_constants():
    assert set(LOSS_CONSTANTS) == set(LOSSES)


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_a_classification_loss_is_lipschitz_and_no_better(loss, generator):
    first = 3.0 * torch.randn(5000, 4, generator=generator, dtype=torch.float64)
    second = first + 0.1 * torch.randn(5000, 4, generator=generator, dtype=torch.float64)
    targets = torch.randint(0, 4, (5000,), generator=generator)
    evaluate = LOSSES[loss].evaluate
    change = (evaluate(first, targets)[0] - evaluate(second, targets)[0]).abs()
    ratio = change / (first - second).norm(dim=1)
    lipschitz = loss_constants(loss, output_norm=1.0, n_outputs=4).lipschitz
    assert lipschitz == math.sqrt(2.0)
    assert 0.9 * lipschitz < float(ratio.max()) <= lipschitz + 1e-9


def test_the_squared_loss_is_lipschitz_once_predictions_are_clipped(generator):
    low, high = -1.0, 2.0
    targets = low + (high - low) * torch.rand(5000, 1, generator=generator, dtype=torch.float64)
    first = 5.0 * torch.randn(5000, 1, generator=generator, dtype=torch.float64)
    second = first + 0.1 * torch.randn(5000, 1, generator=generator, dtype=torch.float64)
    losses = [(f.clamp(low, high) - targets).square().squeeze(1) for f in (first, second)]
    ratio = (losses[0] - losses[1]).abs() / (first - second).norm(dim=1)
    constants = loss_constants("squared", output_norm=9.0, n_outputs=1, target_range=high - low)
    assert 0.9 * constants.lipschitz < float(ratio.max()) <= constants.lipschitz + 1e-9
    assert float(torch.stack(losses).max()) <= constants.largest
    assert float((losses[0] - (first - targets).square().squeeze(1)).max()) <= 0.0


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_no_output_of_the_ball_has_a_larger_loss(loss, generator):
    outputs = torch.randn(5000, 3, generator=generator, dtype=torch.float64)
    outputs = 7.0 * outputs / outputs.norm(dim=1, keepdim=True)
    targets = torch.randint(0, 3, (5000,), generator=generator)
    largest = loss_constants(loss, output_norm=7.0, n_outputs=3).largest
    seen = float(LOSSES[loss].evaluate(outputs, targets)[0].max())
    assert 0.8 * largest < seen <= largest


def test_the_bounds_are_their_formulas():
    constants, n, delta = LossConstants(2.0, 5.0), 1000, 0.1
    gap = generalization_gap_bound(0.3, constants, n_samples=n, delta=delta)
    excess = excess_risk_bound(0.3, constants, n_samples=n, delta=delta)
    assert gap == pytest.approx(2 * 2**0.5 * 2.0 * 0.3 + 3 * 5.0 * math.sqrt(math.log(20.0) / 2000))
    assert excess == pytest.approx(
        4 * 2**0.5 * 2.0 * 0.3 + 4 * 5.0 * math.sqrt(math.log(30.0) / 2000)
    )


def test_the_gap_bound_holds_for_a_class_whose_complexity_is_known(generator):
    # f(x) = w x with |w| <= 1 and x = ±1: R̂ = E|mean of signs| and L = 1 for |f - 0|.
    n, misses = 50, 0
    for _ in range(300):
        x = 2.0 * torch.randint(0, 2, (n,), generator=generator) - 1.0
        gap = float(x.mean().abs())  # sup over w of E(w x) - mean(w x)
        signs = 2.0 * torch.randint(0, 2, (200, n), generator=generator) - 1.0
        complexity = float((signs @ x / n).abs().mean())
        bound = generalization_gap_bound(
            complexity, LossConstants(1.0, 2.0), n_samples=n, delta=0.05
        )
        misses += gap > bound
    assert misses / 300 <= 0.05


def test_an_unknown_loss_is_named():
    with pytest.raises(ValueError, match=r"'loss' .* must be one of .* Got 'huber' instead"):
        loss_constants("huber", output_norm=1.0, n_outputs=1)
