"""Features, kernel and relevance of a fitted model."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
import torch

from askl.estimators import fit as module
from askl.spectral import ACTIVATIONS, Layer, monte_carlo_kernel
from tests import naive
from tests.models import classifier, regressor, transformer


def layers_of(model):
    """The fitted layers, in float64."""
    return [
        Layer(torch.from_numpy(f).double(), torch.from_numpy(p).double(), model.activation_)
        for f, p in model.layers_
    ]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (8,)], ids=["shallow", "deep"])
def test_transform_is_the_map_of_the_scaled_inputs(activation, hidden, classes):
    X, y = classes
    model = classifier(activation=activation, hidden_components=hidden).fit(X, y)
    scaled = torch.from_numpy(model.scaling_.apply(X)).double()
    expected = naive.plain_features(scaled, layers_of(model))
    np.testing.assert_allclose(model.transform(X), expected, rtol=0, atol=1e-5)


def test_blocks_of_rows_change_nothing(classes, monkeypatch):
    X, y = classes
    model = classifier().fit(X, y)
    expected = model.transform(X), model.decision_function(X)
    monkeypatch.setattr("askl.estimators.inputs.BLOCK_ROWS", 7)
    monkeypatch.setattr("askl.estimators.inputs.BLOCK_NUMBERS", 7)
    np.testing.assert_allclose(model.transform(X), expected[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), expected[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_the_kernel_is_the_product_of_features(make, classes, numbers):
    X, y = numbers if make is regressor else classes
    model = make().fit(X, y)
    left, right = model.transform(X[:20]), model.transform(X[20:50])
    matrix = model.kernel(X[:20], X[20:50])
    assert matrix.dtype == np.float64
    np.testing.assert_allclose(matrix, left.astype(float) @ right.T.astype(float), rtol=1e-12)
    own = model.kernel(X[:20])
    np.testing.assert_array_equal(own, own.T)
    np.testing.assert_allclose(own, model.kernel(X[:20], X[:20]), rtol=1e-12)
    assert np.linalg.eigvalsh(own).min() > -1e-9


@pytest.mark.parametrize("method", ["sk", "nsk", "askl"])
def test_the_kernel_of_the_paired_map_is_the_closed_form(method, classes):
    X, y = classes
    model = transformer(method, activation="paired").fit(X, y)
    scaled = torch.from_numpy(model.scaling_.apply(X))
    closed = monte_carlo_kernel(scaled, scaled, torch.from_numpy(model.frequencies_))
    # Shared phases cancel in cos(a + b - c - b).
    np.testing.assert_allclose(model.kernel(X), closed, rtol=0, atol=1e-5)


@pytest.mark.parametrize("make", [classifier, regressor])
@pytest.mark.parametrize("hidden", [(), (8,), (8, 6)], ids=["one", "two", "three"])
@pytest.mark.parametrize("scale_inputs", ["robust", "robust+quantile"])
def test_relevance_equals_finite_differences(make, hidden, scale_inputs, classes, numbers):
    X, y = classes if make is classifier else numbers
    model = make(hidden_components=hidden, scale_inputs=scale_inputs).fit(X, y)
    scaled = torch.from_numpy(model.scaling_.apply(X)).double()
    head = torch.from_numpy(model.weights_).double()
    layers, width = layers_of(model), scaled.shape[1]
    slopes = np.zeros(width)
    for column in range(width):
        step = torch.zeros(width, dtype=torch.float64)
        step[column] = 1e-5
        ahead, behind = (naive.plain_features(scaled + s, layers) @ head for s in (step, -step))
        slopes[column] = float(((ahead - behind) / 2e-5).square().sum(dim=1).mean())
    expected = slopes.reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(model.feature_relevance_, expected, rtol=1e-3)


def test_relevance_knows_noise_from_signal(numbers):
    relevance = regressor(max_epochs=30).fit(*numbers).feature_relevance_
    assert relevance[:2].min() > 3.0 * relevance[2]


def test_relevance_is_taken_from_the_first_rows(numbers, monkeypatch):
    X, y = numbers
    monkeypatch.setattr(module, "RELEVANCE_ROWS", 10)
    few = regressor().fit(X, y).feature_relevance_
    monkeypatch.undo()
    assert not np.allclose(few, regressor().fit(X, y).feature_relevance_)


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_a_model_survives_pickling(make, classes, numbers):
    X, y = numbers if make is regressor else classes
    model = make(hidden_components=(8,)).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.transform(X), copy.transform(X))
    if make is not transformer:
        copy.partial_fit(X, y)


@pytest.fixture
def every_warning():
    """Let torch warn each time and not just once a process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.usefixtures("every_warning")
def test_a_model_can_be_read_from_a_memory_map(classes, tmp_path):
    X, y = classes
    model = classifier().fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert not mapped.weights_.flags.writeable
    np.testing.assert_array_equal(mapped.predict(X), model.predict(X))


def test_fitted_arrays_of_one_fit_survive_the_next(numbers):
    X, y = numbers
    model = regressor(warm_start=True).fit(X, y)
    weights, frequencies = model.weights_, model.frequencies_
    copies = weights.copy(), frequencies.copy()
    model.fit(X, -y)
    np.testing.assert_array_equal(weights, copies[0])
    np.testing.assert_array_equal(frequencies, copies[1])
