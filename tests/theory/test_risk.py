from __future__ import annotations

import math

import pytest
import torch

from askl.learning import LOSSES, LossConstants, NamedLoss
from askl.theory import (
    excess_risk_bound,
    generalization_gap_bound,
    loss_constants,
)


@pytest.mark.parametrize("loss", LOSSES)
def test_constants_are_those_of_the_row(loss):
    found = loss_constants(loss, output_norm=7.0, n_outputs=4, target_range=3.0)
    assert found == LOSSES[loss].constants(7.0, 4, 3.0)


def test_a_loss_without_constants_has_no_risk_bounds(monkeypatch):
    monkeypatch.setitem(LOSSES, "own", NamedLoss(LOSSES["squared"].evaluate, "regression"))
    constants = loss_constants("own", output_norm=7.0, n_outputs=4)
    assert all(map(math.isnan, constants))
    assert math.isnan(generalization_gap_bound(0.1, constants, n_samples=9, delta=0.05))
    assert math.isnan(excess_risk_bound(0.1, constants, n_samples=9, delta=0.05))


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
