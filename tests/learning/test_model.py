from __future__ import annotations

import pytest
import torch

from askl.learning import compute_features, compute_outputs
from askl.learning.model import Workspace, choose_block_rows
from askl.spectral import Layer, stacked_features
from tests.learning.problem import DOUBLE, random_batch, random_model


@pytest.mark.parametrize("block_rows", [None, 16], ids=["one block", "several blocks"])
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)], ids=["one", "two", "three"])
def test_features_and_outputs_are_those_of_the_stack(hidden, block_rows, generator):
    model, inputs = random_model(generator, hidden=hidden), random_batch(generator).inputs
    expected = stacked_features(inputs, model.layers, skip=True)
    computed = compute_features(inputs, model.layers, block_rows=block_rows)
    torch.testing.assert_close(computed, expected)
    outputs = compute_outputs(inputs, model, block_rows=block_rows)
    torch.testing.assert_close(outputs, expected @ model.weights)


def layers_of(n_features, n_components, n_branches=2):
    shape = (n_branches, n_features, n_components)
    return (Layer(torch.zeros(shape), torch.zeros(n_branches, n_components)),)


@pytest.mark.parametrize(
    ("layers", "cached_angles", "rows"),
    [
        (layers_of(3, 500), 10**6, 1000),  # angles of 1000 rows fit into the cache
        (layers_of(3, 500, n_branches=1), 10**6, 2000),
        (layers_of(3, 500), 1, 16),  # at least some rows
        (layers_of(300, 500), 1, 1200),  # four times the inputs
        (layers_of(3, 500) + layers_of(503, 10), 10**6, 50_000),  # what any layer asks for
    ],
)
def test_a_block_has_as_many_rows_as_the_cache_and_the_inputs_ask_for(layers, cached_angles, rows):
    assert choose_block_rows(layers, cached_angles) == rows


def test_a_workspace_reuses_its_memory():
    workspace, like = Workspace(), torch.zeros(1, dtype=DOUBLE)
    first = workspace.take("key", like, 4, 5)
    smaller = workspace.take("key", like, 3, 2)
    assert smaller.shape == (3, 2)
    assert smaller.dtype == DOUBLE
    assert first.data_ptr() == smaller.data_ptr() != workspace.take("other", like, 4).data_ptr()
    assert workspace.take("key", like, 100).shape == (100,)


def test_a_copied_model_trains_apart(generator):
    model = random_model(generator, hidden=(4,))
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


def test_a_model_is_finite_if_all_its_numbers_are(generator):
    model = random_model(generator, hidden=(4,))
    assert model.is_finite()
    for name in model.tensors():
        broken = model.copy()
        broken.tensors()[name].view(-1)[-1] = torch.nan
        assert not broken.is_finite()
