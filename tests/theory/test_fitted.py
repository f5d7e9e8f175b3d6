"""A fitted estimator in float64, block by block, and as it was before learning."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from askl.learning import LOSSES
from askl.theory import as_drawn
from askl.theory.fitted import feature_blocks, model_of, summed_loss
from tests.models import classifier, regressor


def test_tensors_are_the_fitted_arrays_in_double_precision(classes):
    model = classifier(hidden_components=(10,), max_epochs=2).fit(*classes)
    layers, weights = model_of(model)
    assert weights.dtype == layers[0].frequencies.dtype == torch.float64
    np.testing.assert_array_equal(weights, model.weights_.astype(float))
    for layer, (frequencies, phases) in zip(layers, model.layers_, strict=True):
        np.testing.assert_array_equal(layer.frequencies, frequencies.astype(float))
        np.testing.assert_array_equal(layer.phases, phases.astype(float))


@pytest.mark.parametrize("hidden", [(), (10,)])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_blocks_cover_all_rows_once(hidden, kind, classes):
    X, y = classes
    X = np.tile(X, (300, 1))  # more than one block
    model = classifier(hidden_components=hidden, scale_inputs="none", max_epochs=1)
    model.fit(X[:240], y)
    blocks = list(feature_blocks(model, kind(X)))
    assert len(blocks) > 1
    covered = np.concatenate([np.arange(len(X))[block.rows] for block in blocks])
    np.testing.assert_array_equal(covered, np.arange(len(X)))
    features = torch.cat([block.features for block in blocks])
    assert features.dtype == torch.float64
    np.testing.assert_allclose(features, model.transform(X), atol=1e-5)
    width = 3 if not hidden else 13
    assert blocks[0].last_inputs.shape[1] == width


def test_the_summed_loss_is_that_of_the_row(numbers):
    X, y = numbers
    model = regressor(max_epochs=2).fit(X, y)
    outputs, targets = torch.zeros(5, 1).double(), torch.arange(5.0).double()[:, None]
    assert summed_loss(model, outputs, targets) == pytest.approx(float((targets**2).sum()))
    hinge = classifier(loss="hinge", max_epochs=1).fit(X, (y > 10).astype(int))
    labels = torch.tensor([0, 1])
    expected = LOSSES["hinge"].evaluate(torch.tensor([[1.0, 0.5], [1.0, 0.5]]), labels)[0].sum()
    found = summed_loss(hinge, torch.tensor([[1.0, 0.5], [1.0, 0.5]]), labels)
    assert found == pytest.approx(float(expected))


def test_the_model_as_drawn_shares_everything_else(classes):
    X, y = classes
    model = classifier().fit(X, y)
    drawn = as_drawn(model)
    assert drawn.scaling_ is model.scaling_
    assert drawn.get_params() == model.get_params()
    assert not drawn.weights_.any()
    assert model.weights_.any()  # the model itself is left as it was
