from __future__ import annotations

import pytest
import torch

from askl.learning import HEAD_NORMS, LOSSES, Objective, squared_loss
from askl.learning.batch import ALL_ROWS, Shard
from askl.learning.dropout import Dropout
from askl.learning.gradients import compute_gradients, mean_squared_input_gradient
from askl.learning.model import Workspace
from tests import naive
from tests.learning.problem import DOUBLE, random_batch, random_model

BLOCKS = pytest.mark.parametrize("block_rows", [None, 16], ids=["one block", "several blocks"])


def autograd_of(model, objective, batch, loss, masks=None):
    """Value and gradients of the smooth objective, in plain torch operations."""
    leaves = [*(layer.frequencies for layer in model.layers), model.weights]
    for leaf in leaves:
        leaf.requires_grad_()
    value = naive.smooth_objective(model, objective, batch, loss, masks)
    gradients = torch.autograd.grad(value, leaves)
    for leaf in leaves:
        leaf.requires_grad_(False)
    return value.detach(), list(gradients)


def assert_equals_autograd(
    model, objective, batch, loss="squared", workspace=None, block_rows=None
):
    computed = compute_gradients(
        model, objective, batch, workspace or Workspace(), block_rows=block_rows
    )
    value, expected = autograd_of(model, objective, batch, loss)
    torch.testing.assert_close(
        computed.loss + objective.feature_penalty * computed.feature_norm, value
    )
    torch.testing.assert_close([*computed.frequencies, computed.weights], expected)


@BLOCKS
@pytest.mark.parametrize("penalty", [0.0, 0.3], ids=["", "feature penalty"])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_gradients_equal_autograd(hidden, weighted, penalty, block_rows, generator):
    model = random_model(generator, hidden=hidden)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=penalty)
    assert_equals_autograd(
        model, objective, random_batch(generator, weighted=weighted), block_rows=block_rows
    )


@pytest.mark.parametrize("loss", naive.PLAIN_LOSSES)
@pytest.mark.parametrize("activation", naive.ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_gradients_equal_autograd_for_every_loss_and_activation(
    loss, activation, hidden, generator
):
    model = random_model(generator, hidden=hidden, activation=activation)
    objective = Objective(LOSSES[loss].evaluate, HEAD_NORMS["trace"], feature_penalty=0.1)
    batch = random_batch(generator, loss=loss, weighted=True)
    assert_equals_autograd(model, objective, batch, loss)


class FixedDropout:
    """Masks drawn in advance, one for each layer."""

    def __init__(self, masks):
        self.masks = iter(masks)

    def mask(self, layer, *, n_rows, part):
        return next(self.masks)[part]


@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_gradients_with_dropout_equal_autograd(hidden, generator):
    model, batch = random_model(generator, hidden=hidden), random_batch(generator, weighted=True)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.3)
    masks = [
        2.0 * (torch.rand(100, layer.width, generator=generator, dtype=DOUBLE) < 0.5)
        for layer in model.layers
    ]
    computed = compute_gradients(model, objective, batch, Workspace(), dropout=FixedDropout(masks))
    _, expected = autograd_of(model, objective, batch, "squared", masks)
    torch.testing.assert_close([*computed.frequencies, computed.weights], expected)


@pytest.mark.parametrize("n_rows", [2, 100])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_the_gradients_of_shards_add_up(hidden, size, n_rows, generator):
    model, batch = random_model(generator, hidden=hidden), random_batch(generator, weighted=True)
    batch = batch.part(slice(n_rows))
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.3)

    def gradients(shard):
        dropout = Dropout(0.3, torch.Generator().manual_seed(1))
        found = compute_gradients(
            model, objective, batch, Workspace(), dropout=dropout, shard=shard, block_rows=17
        )
        return [*found.frequencies, found.weights, found.loss, found.feature_norm]

    parts = [gradients(Shard(rank, size)) for rank in range(size)]
    total = [sum(values[1:], values[0]) for values in zip(*parts, strict=True)]
    torch.testing.assert_close(total, gradients(ALL_ROWS))


def test_a_reused_workspace_changes_no_gradient(generator):
    workspace, model = Workspace(), random_model(generator, hidden=(4,))
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    for n_samples in (30, 7, 50):
        batch = random_batch(generator, n_samples=n_samples)
        assert_equals_autograd(model, objective, batch, workspace=workspace)


def test_assigned_frequencies_get_no_gradient(generator):
    model, batch = random_model(generator), random_batch(generator)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    learned = compute_gradients(model, objective, batch, Workspace())
    assigned = compute_gradients(model, objective, batch, Workspace(), learn_frequencies=False)
    assert assigned.frequencies == []
    torch.testing.assert_close(assigned.weights, learned.weights)


@BLOCKS
@pytest.mark.parametrize("activation", naive.ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_the_mean_squared_input_gradient_equals_autograd(hidden, activation, block_rows, generator):
    model = random_model(generator, hidden=hidden, activation=activation)
    inputs = random_batch(generator, n_samples=40).inputs

    def outputs(x):
        return naive.plain_features(x[None], model.layers)[0] @ model.weights

    jacobians = torch.stack([torch.autograd.functional.jacobian(outputs, x) for x in inputs])
    expected = jacobians.square().sum(dim=1).mean(dim=0)
    torch.testing.assert_close(
        mean_squared_input_gradient(inputs, model, block_rows=block_rows), expected
    )
