"""Features, kernel and relevance of a fitted model."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError

from askl.estimators.inputs import BLOCK_NUMBERS, row_blocks
from askl.estimators.training_data import RELEVANCE_ROWS
from askl.learning import METHODS, Model
from askl.learning.gradients import mean_squared_input_gradient
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


def test_rows_of_several_blocks_are_put_together_in_their_order(classes):
    X, y = classes
    model = classifier(n_components=20).fit(X, y)
    n_repeats = BLOCK_NUMBERS // X.size + 1
    many = np.tile(X, (n_repeats, 1))
    assert len(list(row_blocks(many))) == 2
    features = np.tile(model.transform(X), (n_repeats, 1))
    outputs = np.tile(model.decision_function(X), (n_repeats, 1))
    np.testing.assert_allclose(model.transform(many), features, rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(many), outputs, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_a_prediction_does_not_depend_on_how_many_rows_come_with_it(n_rows, classes):
    X, y = classes
    model = classifier().fit(X, y)
    together = model.decision_function(X[:n_rows])
    assert together.shape == (n_rows, 3)
    for row in range(n_rows):
        np.testing.assert_array_equal(model.decision_function(X[[row]])[0], together[row])


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


def test_noise_is_less_relevant_than_signal(numbers):
    relevance = regressor(max_epochs=30).fit(*numbers).feature_relevance_
    assert relevance[:2].min() > 3.0 * relevance[2]


def test_relevance_is_measured_on_the_first_rows(numbers):
    X, y = (np.tile(array, (3, 1))[:600] for array in (numbers[0], numbers[1][:, None]))
    X = X + 0.1 * np.arange(600)[:, None] / 600
    model = regressor(method="nskl").fit(X, y)
    inputs = torch.cat([block for _, block in model.input_blocks(X)])
    first, all_rows = (
        mean_squared_input_gradient(rows, model.fitted_model.model).double()
        for rows in (inputs[:RELEVANCE_ROWS], inputs)
    )
    np.testing.assert_allclose(model.feature_relevance_, first, rtol=1e-6)
    assert not np.allclose(model.feature_relevance_, all_rows, rtol=1e-6)


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


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_the_view_of_a_fitted_model_is_what_predicts(make, classes, numbers):
    X, y = numbers if make is regressor else classes
    model = make("skl", feature_penalty=0.5, hidden_components=(8,)).fit(X, y)
    view = model.fitted_model
    assert view.method == METHODS["skl"]._replace(feature_penalty=0.5)
    assert view.loss == {classifier: "smoothed_log", regressor: "squared"}.get(make, "auto")
    assert view.scaling is model.scaling_
    ((rows, inputs),) = model.input_blocks(X)
    assert rows == slice(0, 240)
    np.testing.assert_array_equal(inputs, model.scaling_.apply(X))
    features = naive.plain_features(inputs.double(), layers_of(model))
    np.testing.assert_allclose(model.transform(X), features, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(view.model.weights, model.weights_)
    for layer, (frequencies, phases) in zip(view.model.layers, model.layers_, strict=True):
        np.testing.assert_array_equal(layer.frequencies, frequencies)
        np.testing.assert_array_equal(layer.phases, phases)


@pytest.mark.parametrize("make", [classifier, regressor, transformer])
def test_the_view_needs_a_fitted_model_and_valid_inputs(make, classes):
    X, y = classes
    with pytest.raises(NotFittedError):
        _ = make().fitted_model
    with pytest.raises(NotFittedError):
        make().with_model(make().fit(X, y).fitted_model.model)
    with pytest.raises(NotFittedError):
        make().input_blocks(X)
    with pytest.raises(ValueError, match="X has 2 features, but"):
        make().fit(X, y).input_blocks(X[:, :2])


def test_with_another_model_an_estimator_predicts_with_that_one(numbers):
    X, y = numbers
    model = regressor().fit(X, y)
    layers, weights = model.fitted_model.model
    before = model.predict(X)
    other = model.with_model(Model(layers, 2.0 * weights))
    mean = model.target_mean_[0]
    np.testing.assert_allclose(other.predict(X) - mean, 2.0 * (before - mean), rtol=1e-5)
    assert model.has_deviations
    assert not other.has_deviations, "they belong to the head that was solved"
    np.testing.assert_array_equal(model.predict(X), before)


def test_encoded_targets_are_what_the_loss_takes(classes, numbers):
    X, y = classes
    labels = np.array(["low", "middle", "top"])[y]
    model = classifier().fit(X, labels)
    np.testing.assert_array_equal(model.encode_targets(labels), y)
    with pytest.raises(ValueError, match=r"labels .*\['new'\]"):
        model.encode_targets(["new", "low"])
    X, y = numbers
    encoded = regressor().fit(X, y).encode_targets(y)
    np.testing.assert_allclose(encoded[:, 0], (y - y.mean()) / y.std(), atol=1e-12)
    logs = regressor(scale_targets="log").fit(X, y).encode_targets(y)
    assert not np.allclose(logs, encoded)
    for each in (encoded, logs):
        assert abs(float(each.mean())) < 1e-9
        assert float(each.std(correction=0)) == pytest.approx(1.0)
    with pytest.raises(NotFittedError):
        regressor().encode_targets(y)
