from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from askl.learning import (
    LOSSES,
    hinge_loss,
    log_loss,
    smoothed_log_loss,
    squared_loss,
)
from askl.learning.losses import HINGE_TEMPERATURE
from tests import naive


def make_case(task, generator, n_samples=40, n_outputs=4):
    outputs = torch.randn(n_samples, n_outputs, generator=generator, dtype=torch.float64)
    if task == "classification":
        return outputs, torch.randint(n_outputs, (n_samples,), generator=generator)
    return outputs, torch.randn(n_samples, n_outputs, generator=generator, dtype=torch.float64)


class AsFunction(torch.autograd.Function):
    """A loss with its own gradient as the backward pass, for gradcheck."""

    @staticmethod
    def forward(ctx, outputs, targets, loss):
        values, gradients = loss(outputs, targets)
        ctx.save_for_backward(gradients)
        return values

    @staticmethod
    def backward(ctx, upstream):
        (gradients,) = ctx.saved_tensors
        return upstream[:, None] * gradients, None, None


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_outputs", [2, 5])
def test_every_loss_passes_gradcheck(name, n_outputs, generator):
    evaluate, task, *_ = LOSSES[name]
    outputs, targets = make_case(task, generator, n_outputs=n_outputs)
    assert torch.autograd.gradcheck(
        lambda f: AsFunction.apply(f, targets, evaluate), (outputs.requires_grad_(),)
    )


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_per_sample_and_leaves_its_arguments_alone(name, generator):
    evaluate, task, *_ = LOSSES[name]
    outputs, targets = make_case(task, generator)
    kept = outputs.clone(), targets.clone()
    values, gradients = evaluate(outputs, targets)
    assert values.shape == (40,)
    assert gradients.shape == outputs.shape
    assert (values >= 0.0).all()
    assert torch.equal(outputs, kept[0])
    assert torch.equal(targets, kept[1])
    alone = [evaluate(outputs[i : i + 1], targets[i : i + 1]) for i in range(40)]
    torch.testing.assert_close(values, torch.cat([value for value, _ in alone]))
    torch.testing.assert_close(gradients, torch.cat([gradient for _, gradient in alone]))


def test_hinge_equals_a_naive_loop(generator):
    outputs, targets = make_case("classification", generator, n_samples=200)
    values, gradients = hinge_loss(outputs, targets)
    expected_values, expected_gradients = naive.hinge_loss(outputs.tolist(), targets.tolist())
    np.testing.assert_allclose(values, expected_values, rtol=1e-12)
    np.testing.assert_array_equal(gradients, expected_gradients)


@pytest.mark.parametrize(
    ("outputs", "value", "gradient"),
    [
        ([3.0, 1.0, 0.0], 0.0, [0, 0, 0]),  # margin above one: no loss
        ([2.0, 1.0, 0.0], 0.0, [0, 0, 0]),  # margin of one: the edge belongs to no loss
        ([1.5, 1.0, 0.0], 0.5, [-1, 1, 0]),  # right, but too close to the runner-up
        ([0.0, 1.0, 3.0], 4.0, [-1, 0, 1]),  # wrong
    ],
)
def test_the_subgradient_of_the_hinge_has_the_cases_of_the_paper(outputs, value, gradient):
    values, gradients = hinge_loss(torch.tensor([outputs]), torch.tensor([0]))
    assert values.tolist() == [value]
    assert gradients.tolist() == [gradient]


@given(arrays.arrays(np.float64, (6, 3), elements=st.floats(-50, 50)), st.integers(0, 2))
def test_the_hinge_bounds_the_zero_one_loss(outputs, truth):
    f, targets = torch.from_numpy(outputs), torch.full((6,), truth)
    values, gradients = hinge_loss(f, targets)
    rivals = np.delete(outputs, truth, axis=1).max(axis=1)
    wrong = rivals > outputs[:, truth]
    assert (values.numpy()[wrong] >= 1.0).all()
    assert gradients.sum(dim=1).abs().max() == 0.0


def test_log_loss_equals_a_naive_loop_and_cross_entropy(generator):
    outputs, targets = make_case("classification", generator)
    values, _ = log_loss(outputs, targets)
    np.testing.assert_allclose(
        values, naive.log_loss(outputs.tolist(), targets.tolist()), rtol=1e-12
    )
    reference = torch.nn.functional.cross_entropy(outputs, targets, reduction="none")
    torch.testing.assert_close(values, reference)


def test_log_loss_survives_extreme_outputs():
    values, gradients = log_loss(torch.tensor([[1e4, -1e4], [1e4, -1e4]]), torch.tensor([0, 1]))
    assert values.tolist() == [0.0, 2e4]
    assert gradients.tolist() == [[0.0, 0.0], [1.0, -1.0]]


def test_log_loss_of_equal_outputs_is_the_log_of_their_number():
    values, gradients = log_loss(torch.zeros(1, 5), torch.tensor([2]))
    assert values.item() == pytest.approx(math.log(5))
    assert gradients.sum().item() == pytest.approx(0.0, abs=1e-7)


def test_squared_loss_adds_up_the_outputs():
    values, gradients = squared_loss(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 4.0]]))
    assert values.tolist() == [5.0]
    assert gradients.tolist() == [[2.0, -4.0]]


@pytest.mark.parametrize("loss", [name for name, row in LOSSES.items() if row.constants])
def test_constants_are_of_the_right_kind(loss):
    lipschitz, largest = LOSSES[loss].constants(3.0, 4, 2.0)
    assert 0.0 < lipschitz < math.inf
    assert 0.0 < largest < math.inf


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_a_classification_loss_has_its_lipschitz_constant_and_no_smaller_one(loss, generator):
    first = 3.0 * torch.randn(5000, 4, generator=generator, dtype=torch.float64)
    second = first + 0.1 * torch.randn(5000, 4, generator=generator, dtype=torch.float64)
    targets = torch.randint(0, 4, (5000,), generator=generator)
    evaluate, constants = LOSSES[loss].evaluate, LOSSES[loss].constants(1.0, 4, math.nan)
    change = (evaluate(first, targets)[0] - evaluate(second, targets)[0]).abs()
    ratio = float((change / (first - second).norm(dim=1)).max())
    assert constants.lipschitz == math.sqrt(2.0)
    assert 0.9 * constants.lipschitz < ratio <= constants.lipschitz + 1e-9


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_no_outputs_of_the_ball_have_a_larger_loss(loss, generator):
    outputs = torch.randn(5000, 3, generator=generator, dtype=torch.float64)
    outputs = 7.0 * outputs / outputs.norm(dim=1, keepdim=True)
    targets = torch.randint(0, 3, (5000,), generator=generator)
    seen = float(LOSSES[loss].evaluate(outputs, targets)[0].max())
    largest = LOSSES[loss].constants(7.0, 3, math.nan).largest
    assert 0.8 * largest < seen <= largest


def test_the_squared_loss_of_clipped_predictions_has_its_constants(generator):
    low, high = -1.0, 2.0
    targets = low + (high - low) * torch.rand(5000, 1, generator=generator, dtype=torch.float64)
    first = 5.0 * torch.randn(5000, 1, generator=generator, dtype=torch.float64)
    second = first + 0.1 * torch.randn(5000, 1, generator=generator, dtype=torch.float64)
    losses = [(f.clamp(low, high) - targets).square().squeeze(1) for f in (first, second)]
    ratio = float(((losses[0] - losses[1]).abs() / (first - second).norm(dim=1)).max())
    constants = LOSSES["squared"].constants(9.0, 1, high - low)
    assert 0.9 * constants.lipschitz < ratio <= constants.lipschitz + 1e-9
    assert 0.9 * constants.largest < float(torch.stack(losses).max()) <= constants.largest
    assert float((losses[0] - (first - targets).square().squeeze(1)).max()) <= 0.0


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_the_smoothed_log_loss_is_the_cross_entropy_with_smoothed_labels(smoothing, generator):
    outputs, targets = make_case("classification", generator)
    values, _ = smoothed_log_loss(outputs, targets, smoothing=smoothing)
    reference = torch.nn.functional.cross_entropy(
        outputs, targets, reduction="none", label_smoothing=smoothing
    )
    torch.testing.assert_close(values, reference)


@pytest.mark.parametrize("name", ["log", "smoothed_log", "hinge"])
def test_the_curvature_is_the_derivative_of_the_gradient(name, generator):
    row = LOSSES[name]
    evaluate = row.smooth or row.evaluate
    outputs = 0.2 * torch.randn(6, 4, generator=generator, dtype=torch.float64)
    targets = torch.tensor([0, 1, 2, 3, 0, 1])
    numeric = torch.stack(
        [
            (evaluate(outputs + step, targets)[1] - evaluate(outputs - step, targets)[1]) / 2e-6
            for step in 1e-6 * torch.eye(4, dtype=torch.float64)
        ],
        dim=2,
    )
    torch.testing.assert_close(row.curvature(outputs, targets), numeric, rtol=1e-6, atol=1e-7)


def test_the_soft_hinge_is_a_little_above_the_hinge(generator):
    outputs = torch.randn(50, 4, generator=generator, dtype=torch.float64)
    targets = torch.randint(4, (50,), generator=generator)
    soft, _ = LOSSES["hinge"].smooth(outputs, targets)
    hard, _ = LOSSES["hinge"].evaluate(outputs, targets)
    assert (soft >= hard - 1e-12).all()
    assert (soft <= hard + HINGE_TEMPERATURE * np.log(4)).all()


@pytest.mark.parametrize("name", LOSSES)
def test_rows_know_whether_a_shift_of_all_outputs_matters(name, generator):
    row = LOSSES[name]
    outputs, targets = make_case(row.task, generator)
    values, shifted = (row.evaluate(at, targets)[0] for at in (outputs, outputs + 0.7))
    assert torch.allclose(values, shifted) == row.is_shift_invariant
