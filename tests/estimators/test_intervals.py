"""Predictive standard deviations of the regressor."""

from __future__ import annotations

import numpy as np
import pytest

from tests.models import regressor


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2.0, 2.0, size=(1200, 2))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=1200)


@pytest.mark.parametrize("method", ["sk", "nskl", "askl"])
def test_nine_of_ten_new_rows_lie_within_the_interval(method, noisy):
    X, y = noisy
    model = regressor(method, max_epochs=20).fit(X[:600], y[:600])
    mean, deviation = model.predict(X[600:], return_std=True)
    np.testing.assert_array_equal(mean, model.predict(X[600:]))
    covered = np.abs(y[600:] - mean) <= 1.645 * deviation
    assert 0.8 <= covered.mean() <= 0.98


def test_deviations_are_those_of_a_bayesian_linear_model(noisy):
    X, y = noisy
    model = regressor("nskl", head_penalty=1e-3).fit(X[:600], y[:600])
    _, deviation = model.predict(X[600:], return_std=True)
    features, new = (model.transform(rows).astype(float) for rows in (X[:600], X[600:]))
    inverse = np.linalg.inv(features.T @ features + 600 * 1e-3 * np.eye(60))
    shape = np.sqrt(1.0 + np.einsum("ni,ij,nj->n", new, inverse, new))
    np.testing.assert_allclose(deviation / deviation[0], shape / shape[0], rtol=1e-4)


def test_the_deviation_grows_away_from_the_data(noisy):
    X, y = noisy
    inside = np.abs(X).max(axis=1) < 1.0
    model = regressor("nsk").fit(X[inside], y[inside])
    _, near = model.predict(X[inside], return_std=True)
    _, far = model.predict(X[~inside], return_std=True)
    assert far.mean() > near.mean()


def test_several_outputs_have_deviations_in_their_own_units(noisy):
    X, y = noisy
    mean, deviation = (
        regressor().fit(X, np.column_stack([y, 1000.0 * y])).predict(X, return_std=True)
    )
    assert mean.shape == deviation.shape == (1200, 2)
    np.testing.assert_allclose(deviation[:, 1] / deviation[:, 0], 1000.0, rtol=0.05)


def test_a_head_that_was_not_solved_has_no_deviations(noisy):
    X, y = noisy
    for model in (regressor(refit_head=False).fit(X, y), regressor().partial_fit(X, y)):
        with pytest.raises(ValueError, match="return_std needs a head that was solved exactly"):
            model.predict(X, return_std=True)


def test_another_part_makes_old_deviations_invalid(noisy):
    X, y = noisy
    model = regressor().fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="return_std needs a head that was solved exactly"):
        model.predict(X, return_std=True)
