from __future__ import annotations

import pytest
import torch

from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    Batch,
    Model,
    Objective,
    compute_features,
    compute_outputs,
    squared_loss,
)
from askl.learning import gradients as module
from askl.learning.dropout import Dropout
from askl.learning.gradients import compute_gradients, mean_squared_input_gradient
from askl.learning.model import Workspace, block_rows
from askl.learning.sources import ALL_ROWS, Shard
from askl.spectral import ACTIVATIONS, Layer, stacked_features
from tests import naive

DOUBLE = torch.float64


def make_model(generator, *, hidden=(), activation="cosine", n_features=3, n_outputs=2):
    layers: list[Layer] = []
    for n_components in (*hidden, 5):
        below = layers[-1].width if layers else 0
        frequencies = torch.randn(
            2, below + n_features, n_components, generator=generator, dtype=DOUBLE
        )
        phases = 6.0 * torch.rand(2, n_components, generator=generator, dtype=DOUBLE)
        layers.append(Layer(frequencies, phases, activation))
    weights = torch.randn(layers[-1].width, n_outputs, generator=generator, dtype=DOUBLE)
    return Model(tuple(layers), weights)


def make_batch(generator, *, n_samples=100, loss="squared", weighted=False):
    inputs = torch.randn(n_samples, 3, generator=generator, dtype=DOUBLE)
    targets = torch.randn(n_samples, 2, generator=generator, dtype=DOUBLE)
    if LOSSES[loss].task == "classification":
        targets = targets.argmax(dim=1)
    weights = torch.rand(n_samples, generator=generator, dtype=DOUBLE) if weighted else None
    return Batch(inputs, targets, weights)


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


def assert_equals_autograd(model, objective, batch, loss="squared", workspace=None):
    computed = compute_gradients(model, objective, batch, workspace or Workspace())
    value, expected = autograd_of(model, objective, batch, loss)
    torch.testing.assert_close(
        computed.loss + objective.feature_penalty * computed.feature_norm, value
    )
    torch.testing.assert_close([*computed.frequencies, computed.weights], expected)


@pytest.fixture(params=[False, True], ids=["one block", "several blocks"])
def blocks(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(module, "CACHED_ANGLES", 1)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("penalty", [0.0, 0.3], ids=["", "feature penalty"])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_gradients_equal_autograd(hidden, weighted, penalty, generator):
    model = make_model(generator, hidden=hidden)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=penalty)
    assert_equals_autograd(model, objective, make_batch(generator, weighted=weighted))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_gradients_equal_autograd_for_every_loss_and_activation(
    loss, activation, hidden, generator
):
    model = make_model(generator, hidden=hidden, activation=activation)
    objective = Objective(LOSSES[loss].evaluate, HEAD_NORMS["trace"], feature_penalty=0.1)
    batch = make_batch(generator, loss=loss, weighted=True)
    assert_equals_autograd(model, objective, batch, loss)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.9])
def test_dropout_leaves_out_its_share_everywhere_and_keeps_the_mean(rate, generator):
    rows, columns = 40_000, 16
    layer = Layer(torch.empty(1, 1, columns, dtype=DOUBLE), torch.empty(1, columns))
    mask = Dropout(rate, generator).mask(layer, n_rows=rows, part=slice(None))
    assert mask.dtype == DOUBLE
    dropped = (mask == 0.0).double()
    kept = mask[mask > 0.0]
    assert (kept == kept[0]).all()
    # A share is good to 1/512, and four deviations of chance.
    band = 1.0 / 512 + 4.0 * (rate * (1.0 - rate) / rows) ** 0.5
    assert (dropped.mean(dim=0) - rate).abs().max() < band
    noise = (rate / (1.0 - rate) / mask.numel()) ** 0.5
    assert float(mask.mean()) == pytest.approx(1.0, abs=4.0 * noise)
    neighbours = torch.corrcoef(dropped.t()) - torch.eye(columns, dtype=DOUBLE)
    assert neighbours.abs().max() < 5.0 / rows**0.5


class FixedDropout:
    """Masks drawn in advance, one for each layer."""

    def __init__(self, masks):
        self.masks = iter(masks)

    def mask(self, layer, *, n_rows, part):
        return next(self.masks)[part]


@pytest.mark.parametrize("n_rows", [2, 100])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_the_gradients_of_shards_add_up(hidden, size, n_rows, generator, monkeypatch):
    monkeypatch.setattr("askl.learning.gradients.block_rows", lambda layers: 17)
    model, batch = make_model(generator, hidden=hidden), make_batch(generator, weighted=True)
    batch = batch.part(slice(n_rows))
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.3)

    def gradients(shard):
        dropout = Dropout(0.3, torch.Generator().manual_seed(1))
        found = compute_gradients(
            model, objective, batch, Workspace(), dropout=dropout, shard=shard
        )
        return [*found.frequencies, found.weights, found.loss, found.feature_norm]

    parts = [gradients(Shard(rank, size)) for rank in range(size)]
    total = [sum(values[1:], values[0]) for values in zip(*parts, strict=True)]
    torch.testing.assert_close(total, gradients(ALL_ROWS))


@pytest.mark.parametrize("hidden", [(), (4,)], ids=["one", "two"])
def test_gradients_with_dropout_equal_autograd(hidden, generator):
    model, batch = make_model(generator, hidden=hidden), make_batch(generator, weighted=True)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.3)
    masks = [
        2.0 * (torch.rand(100, layer.width, generator=generator, dtype=DOUBLE) < 0.5)
        for layer in model.layers
    ]
    computed = compute_gradients(model, objective, batch, Workspace(), dropout=FixedDropout(masks))
    _, expected = autograd_of(model, objective, batch, "squared", masks)
    torch.testing.assert_close([*computed.frequencies, computed.weights], expected)


def test_several_blocks_are_really_several(monkeypatch, generator):
    layers = make_model(generator).layers
    assert block_rows(layers) > 100
    monkeypatch.setattr(module, "CACHED_ANGLES", 1)
    assert block_rows(layers) == 16


def test_a_reused_workspace_leaves_no_trace(generator):
    workspace, model = Workspace(), make_model(generator, hidden=(4,))
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    for n_samples in (30, 7, 50):
        batch = make_batch(generator, n_samples=n_samples)
        assert_equals_autograd(model, objective, batch, workspace=workspace)


def test_a_workspace_gives_the_same_memory_again():
    workspace, like = Workspace(), torch.zeros(1, dtype=DOUBLE)
    first = workspace.take("key", like, 4, 5)
    smaller = workspace.take("key", like, 3, 2)
    assert smaller.shape == (3, 2)
    assert smaller.dtype == DOUBLE
    assert first.data_ptr() == smaller.data_ptr() != workspace.take("other", like, 4).data_ptr()
    assert workspace.take("key", like, 100).shape == (100,)


def test_assigned_frequencies_get_no_gradient(generator):
    model, batch = make_model(generator), make_batch(generator)
    objective = Objective(squared_loss, HEAD_NORMS["trace"], feature_penalty=0.1)
    learned = compute_gradients(model, objective, batch, Workspace())
    assigned = compute_gradients(model, objective, batch, Workspace(), learn_frequencies=False)
    assert assigned.frequencies == []
    torch.testing.assert_close(assigned.weights, learned.weights)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_features_and_outputs_are_those_of_the_stack(hidden, generator):
    model, inputs = make_model(generator, hidden=hidden), make_batch(generator).inputs
    expected = stacked_features(inputs, model.layers, skip=True)
    torch.testing.assert_close(compute_features(inputs, model.layers), expected)
    torch.testing.assert_close(compute_outputs(inputs, model), expected @ model.weights)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_the_mean_squared_input_gradient_equals_autograd(hidden, activation, generator):
    model = make_model(generator, hidden=hidden, activation=activation)
    inputs = make_batch(generator, n_samples=40).inputs

    def outputs(x):
        return naive.plain_features(x[None], model.layers)[0] @ model.weights

    jacobians = torch.stack([torch.autograd.functional.jacobian(outputs, x) for x in inputs])
    expected = jacobians.square().sum(dim=1).mean(dim=0)
    torch.testing.assert_close(mean_squared_input_gradient(inputs, model), expected)


def test_a_copied_model_trains_apart(generator):
    model = make_model(generator, hidden=(4,))
    copy = model.copy()
    copy.weights.add_(1.0)
    copy.layers[0].frequencies.add_(1.0)
    assert not torch.equal(copy.weights, model.weights)
    assert not torch.equal(copy.layers[0].frequencies, model.layers[0].frequencies)
    place = model.weights.data_ptr()
    model.copy_from(copy)
    assert torch.equal(copy.weights, model.weights)
    assert torch.equal(copy.layers[0].frequencies, model.layers[0].frequencies)
    assert model.weights.data_ptr() == place
