from __future__ import annotations

import pytest
import torch

from askl.learning import LOSSES, NamedLoss, from_values, squared_loss
from tests import naive
from tests.learning.test_losses import make_case


@pytest.mark.parametrize("name", naive.PLAIN_LOSSES)
def test_a_loss_made_from_values_equals_the_closed_form(name, generator):
    evaluate, task, *_ = LOSSES[name]
    outputs, targets = make_case(task, generator)
    with torch.no_grad():  # as in training
        values, gradients = from_values(naive.PLAIN_LOSSES[name])(outputs, targets)
    expected_values, expected_gradients = evaluate(outputs, targets)
    torch.testing.assert_close(values, expected_values)
    torch.testing.assert_close(gradients, expected_gradients)
    assert not values.requires_grad
    assert not outputs.requires_grad


def test_a_row_needs_only_a_function_and_a_task():
    row = NamedLoss(squared_loss, "regression")
    assert not any(row[2:])
