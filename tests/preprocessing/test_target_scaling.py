"""Targets on a logarithmic scale: the scale itself, and regressors that learn on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from askl import SpectralKernelRegressor, load
from askl.preprocessing.target_scaling import MOST_CORRECTION, fit_log_scale
from askl.theory import bounds

finite = st.floats(-1e100, 1e100)


def prices(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make targets over four orders of magnitude, with noise that grows with them."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1.0, 1.0, size=(n_rows, 3))
    logs = 4.0 * X[:, 0] + np.sin(3.0 * X[:, 1])
    return X, np.exp(logs + 0.3 * random.normal(size=n_rows))


def regressor(**options):
    return SpectralKernelRegressor(
        **{"n_components": 100, "max_epochs": 10, "random_state": 0, **options}
    )


@given(arrays(np.float64, (5, 2), elements=finite))
def test_targets_come_back(y):
    scale = fit_log_scale(y)
    size = np.maximum(np.abs(y).max(axis=0), scale.unit)
    np.testing.assert_allclose(scale.decode(scale.encode(y)) / size, y / size, atol=1e-9)


def test_it_is_a_logarithm_far_out_and_linear_near_the_lowest():
    y = np.linspace(0.0, 1.0, 101)[:, None]
    scale = fit_log_scale(y)
    near, far = scale.encode(np.array([[0.0], [0.01]])), scale.encode(np.array([[1e6], [1e7]]))
    assert np.diff(near, axis=0).item() == pytest.approx(0.01 / scale.unit.item(), rel=1e-2)
    assert np.diff(far, axis=0).item() == pytest.approx(np.log(10.0), rel=1e-6)


def test_weights_are_repetitions(rng):
    y, repeats = rng.exponential(size=(30, 1)), rng.integers(1, 4, size=30)
    weighted, repeated = fit_log_scale(y, repeats), fit_log_scale(np.repeat(y, repeats, axis=0))
    np.testing.assert_array_equal(weighted.origin, repeated.origin)
    np.testing.assert_array_equal(weighted.unit, repeated.unit)


def test_the_factor_is_that_of_least_squares(rng):
    y = rng.exponential(size=(200, 2))
    scale = fit_log_scale(y)
    logs, weights = scale.encode(y) + 0.4 * rng.normal(size=y.shape), rng.uniform(size=200)
    corrected = scale.correct(logs, y, weights)
    for output in range(2):
        stretched = (scale.decode(logs) - scale.origin)[:, [output]]
        root = np.sqrt(weights)[:, None]
        wanted = (y - scale.origin)[:, [output]]
        expected = np.linalg.lstsq(root * stretched, root * wanted, rcond=None)[0].item()
        assert corrected.factor[output] == pytest.approx(expected)
    assert np.all(scale.correct(logs - 3.0, y).factor == MOST_CORRECTION)


def test_slopes_are_derivatives(rng):
    y = rng.exponential(size=(50, 1))
    scale = fit_log_scale(y).correct(fit_log_scale(y).encode(y) + 0.1, y)
    logs = np.linspace(scale.lowest + 0.1, scale.highest - 0.1, 9)
    step = 1e-6
    numerical = (scale.decode(logs + step) - scale.decode(logs - step)) / (2.0 * step)
    np.testing.assert_allclose(scale.slope(logs), numerical, rtol=1e-6)


@pytest.mark.parametrize("targets", [[3.0] * 8, [0.0] * 7 + [5.0]])
def test_targets_of_one_value_or_nearly(targets):
    y = np.array(targets)
    model = regressor(scale_targets="log").fit(np.arange(8.0)[:, None], y)
    assert np.all((model.predict([[0.0], [99.0]]) >= 0.0) & np.isfinite(model.predict([[7.0]])))


def test_prices_are_learned_better_on_the_log_scale():
    X, y = prices(800)
    X_test, y_test = prices(800, seed=1)
    plain, logged = (
        regressor(scale_targets=name).fit(X, y).score(X_test, y_test)
        for name in ("standard", "log")
    )
    assert logged > plain + 0.02


def test_the_mean_is_not_that_of_logarithms():
    X, y = prices(2000)
    model = regressor(scale_targets="log").fit(X, y)
    assert model.target_log_.factor.item() > 1.01  # noise of 0.3: exp(0.3² / 2) = 1.046
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.05)


def test_predictions_stay_within_what_was_seen():
    X, y = prices(300)
    model = regressor(scale_targets="log").fit(X, y)
    scale = model.target_log_
    largest = scale.origin + scale.factor * (y.max() - scale.origin)
    assert np.all(model.predict(100.0 * X) <= largest * (1.0 + 1e-9))


def test_intervals_grow_with_the_prediction():
    X, y = prices(1500)
    X_test, y_test = prices(1500, seed=1)
    mean, deviation = regressor(scale_targets="log").fit(X, y).predict(X_test, return_std=True)
    assert np.corrcoef(mean, deviation)[0, 1] > 0.9
    assert 0.8 < np.mean(np.abs(y_test - mean) <= 1.645 * deviation) < 0.97


def test_streams_and_partial_fits_use_the_log_scale(tmp_path):
    X, y = prices(600)
    model = regressor(scale_targets="log").fit(X, y)
    chunks = [(X[:300], y[:300]), (X[300:], y[300:])]
    streamed = regressor(scale_targets="log").fit_stream(lambda: iter(chunks))
    assert streamed.score(X, y) == pytest.approx(model.score(X, y), abs=0.1)
    stepped = regressor(scale_targets="log")
    for _ in range(10):
        stepped.partial_fit(X, y)
    assert stepped.score(X, y) > 0.5
    np.testing.assert_array_equal(
        load(model.save(tmp_path / "model.askl")).predict(X), model.predict(X)
    )
    assert bounds(model, X).feature_form > 0.0
    several = regressor(scale_targets="log").fit(X, np.column_stack([y, 100.0 * y**2]))
    assert several.predict(X).shape == (600, 2)
