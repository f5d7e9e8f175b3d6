from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from askl import SpectralKernelRegressor
from askl.estimators.regressor import negative_squared_error
from askl.learning import METHODS
from askl.learning.heads.exact_head import STRENGTHS
from tests.models import regressor


@pytest.mark.parametrize("strength", [1e-4, 1e-2])
@pytest.mark.parametrize("weighted", [False, True])
def test_sk_is_rbf_sampler_and_ridge(strength, weighted, numbers):
    X, y = numbers
    weights = np.linspace(0.1, 2.0, len(y)) if weighted else np.ones(len(y))
    model = regressor("sk", scale_inputs="none", head_penalty=strength)
    model.fit(X, y, weights if weighted else None)
    sampler = RBFSampler(n_components=60).fit(X)
    sampler.random_weights_, sampler.random_offset_ = model.frequencies_[0], model.phases_[0]
    mean = np.average(y, weights=weights)
    scale = np.sqrt(np.average((y - mean) ** 2, weights=weights))
    ridge = Ridge(alpha=weights.sum() * strength, fit_intercept=False, solver="svd")
    ridge.fit(sampler.transform(X), (y - mean) / scale, weights)
    largest = np.abs(ridge.coef_).max()
    np.testing.assert_allclose(model.weights_[:, 0], ridge.coef_, rtol=0, atol=1e-3 * largest)
    expected = ridge.predict(sampler.transform(X)) * scale + mean
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-4 * scale)
    assert model.head_strength_ == strength


@pytest.mark.parametrize("method", METHODS)
def test_several_outputs_are_several_columns(method, numbers):
    X, y = numbers
    targets = np.column_stack([y, 1000.0 * X[:, 2], X[:, 0] ** 2])
    model = regressor(method, n_components=150, max_epochs=30).fit(X, targets)
    assert model.predict(X).shape == (240, 3)
    assert model.weights_.shape == (150, 3)
    assert model.score(X, targets) > 0.8
    residuals = (model.predict(X) - targets).std(axis=0) / targets.std(axis=0)
    assert residuals.max() < 0.6, "no column is dominated by the unit of another"


def test_one_column_stays_a_column(numbers):
    X, y = numbers
    assert regressor().fit(X, y).predict(X).shape == (240,)
    assert regressor().fit(X, y[:, None]).predict(X).shape == (240, 1)


@pytest.mark.parametrize(("factor", "offset"), [(1e6, 0.0), (1e-6, 0.0), (1.0, 1e6)])
def test_units_of_the_target_do_not_matter(factor, offset, numbers):
    X, y = numbers
    plain = regressor().fit(X, y).predict(X)
    moved = regressor().fit(X, factor * y + offset).predict(X)
    np.testing.assert_allclose((moved - offset) / factor, plain, rtol=0, atol=1e-2)


def test_targets_are_standardised_with_their_weights(numbers):
    X, y = numbers
    weights = np.linspace(0.0, 2.0, 240)
    model = regressor().fit(X, y, weights)
    mean = np.average(y, weights=weights)
    assert model.target_mean_ == pytest.approx([mean])
    deviation = np.sqrt(np.average((y - mean) ** 2, weights=weights))
    assert model.target_scale_ == pytest.approx([deviation])


def test_a_solved_head_is_better_than_a_short_training(numbers):
    X, y = numbers
    exact = regressor(max_epochs=3).fit(X[:180], y[:180])
    trained = regressor(max_epochs=3, refit_head=False).fit(X[:180], y[:180])
    assert exact.score(X[180:], y[180:]) > trained.score(X[180:], y[180:]) + 0.1
    assert exact.head_strength_ in STRENGTHS
    assert trained.head_strength_ is None


def test_an_exact_head_is_ridge_on_the_learned_features(numbers):
    X, y = numbers
    model = regressor("nskl", refit_head=True, head_penalty=1e-3).fit(X, y)
    features, encoded = model.transform(X).astype(float), (y - y.mean()) / y.std()
    ridge = Ridge(alpha=240 * 1e-3, fit_intercept=False, solver="svd").fit(features, encoded)
    outputs = (model.predict(X) - y.mean()) / y.std()
    np.testing.assert_allclose(outputs, ridge.predict(features), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("method", "expected"), [("askl", METHODS["askl"]), ("nskl", METHODS["nskl"])]
)
def test_few_rows_take_the_method_s_strength(method, expected, numbers):
    X, y = numbers
    model = regressor(method).fit(X[:60], y[:60])
    assert model.head_strength_ == expected.head_penalty


def test_a_named_strength_is_taken_and_a_noisy_target_asks_for_a_larger_one(numbers):
    X, y = numbers
    named = regressor("nskl", head_penalty=0.123).fit(X, y)
    assert named.head_strength_ == 0.123
    assert named.score(X, y) < regressor("nskl").fit(X, y).score(X, y)
    noise = np.random.default_rng(1).normal(size=240)
    clean, noisy = (regressor("nsk").fit(X, target).head_strength_ for target in (y, y + 2 * noise))
    assert noisy > clean


def test_weights_are_repetition(numbers):
    X, y = numbers[0][:40], numbers[1][:40]
    repeats = np.arange(40) % 3
    options = {"batch_size": 1000, "dropout": 0.0}
    weighted = regressor(**options).fit(X, y, repeats)
    repeated = regressor(**options).fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    np.testing.assert_allclose(
        weighted.predict(X), repeated.predict(X), rtol=0, atol=1e-3 * y.std()
    )


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_zero_are_not_there(method, numbers):
    X, y = numbers
    kept = np.arange(240) % 5 > 0
    spoiled = np.where(kept, y, 1e9)
    weighted = regressor(method).fit(X, spoiled, kept.astype(float))
    removed = regressor(method).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.predict(X), removed.predict(X), rtol=1e-5)


def test_the_score_of_early_stopping_is_minus_the_weighted_squared_error():
    outputs, targets = torch.zeros(2, 2), torch.tensor([[1.0, 1.0], [2.0, 0.0]])
    assert negative_squared_error(outputs, targets, None) == pytest.approx(-1.5)
    weights = torch.tensor([3.0, 1.0])
    assert negative_squared_error(outputs, targets, weights) == pytest.approx(-1.25)


def test_the_regressor_works_under_a_transformed_target(numbers):
    X, y = numbers
    model = TransformedTargetRegressor(regressor(), func=np.log, inverse_func=np.exp)
    assert model.fit(X, y).score(X, y) > 0.6


class Watched(SpectralKernelRegressor):
    """Remembers which rows were held out, by their targets."""

    def _score_held_out(self, held_out):
        self.seen_ = held_out
        return super()._score_held_out(held_out)


def held_out_rows(model, y):
    """Find the rows that were held out by their standardised targets."""
    logs = np.arcsinh((y - model.target_log_.origin) / model.target_log_.unit)
    scale = logs if model.scale_targets == "log" else y
    standardised = (scale - scale.mean()) / scale.std()
    distances = np.abs(standardised[:, None] - model.seen_.targets[:, 0])
    return distances.argmin(axis=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_held_out_score_is_in_the_unit_of_the_targets_also_of_logarithms(weighted, numbers):
    X, y = numbers
    price = np.exp(y - y.mean())
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    # Without an exact head the fitted model is the one that was scored.
    options = {"scale_targets": "log", "early_stopping": True, "refit_head": False}
    model = Watched(n_components=60, max_epochs=20, random_state=0, **options)
    model.fit(X, price)
    rows = held_out_rows(model, price)
    assert len(set(rows)) == 24
    expected = r2_score(price[rows], model.predict(X[rows]))
    assert model.held_out_score_ == pytest.approx(expected, abs=1e-4)
    of_logarithms = 1.0 + max(record.score for record in model.history_)
    assert abs(model.held_out_score_ - of_logarithms) > 1e-3
    if weighted:
        model.fit(X, price, sample_weight=weights)
        assert model.held_out_score_ != pytest.approx(expected, abs=1e-4)


def test_only_fits_that_hold_rows_out_have_a_score(numbers):
    X, y = numbers
    assert regressor(refit_head=False).fit(X, y).held_out_score_ is None
    assert regressor("sk").fit(X, y).held_out_score_ is None  # nothing is trained
    model = regressor(max_epochs=5).fit(X, y)  # rows choose the penalty of the head
    score = model.held_out_score_
    assert score > 0.0
    assert model.partial_fit(X, y).held_out_score_ is None
    both = regressor(max_epochs=5).fit(X, np.column_stack([y, -y]))
    assert both.held_out_score_ == pytest.approx(score, abs=0.1)
