from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from askl.preprocessing.input_scaling import fit_scaling


def test_standard_scaling_has_mean_zero_and_deviation_one(rng):
    X = rng.normal(size=(500, 2)) * [3.0, 0.01] + [10.0, -5.0]
    scaled = fit_scaling(X, "standard").apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0, atol=1e-6)


def test_robust_scaling_is_median_and_interquartile_range_with_a_smooth_clip(rng):
    column = rng.normal(size=999) * 4.0 + 7.0
    low, middle, high = np.quantile(column, [0.25, 0.5, 0.75], method="inverted_cdf")
    z = (column - middle) / ((high - low) / 1.349)
    expected = z / np.sqrt(1.0 + (z / 3.0) ** 2)
    scaled = fit_scaling(column[:, None], "robust").apply(column[:, None])[:, 0]
    np.testing.assert_allclose(scaled, expected, rtol=1e-5, atol=1e-6)


def test_bins_are_a_piecewise_linear_encoding(rng):
    X = np.stack([rng.normal(size=400), rng.integers(2, size=400), np.full(400, 3.0)], axis=1)
    fitted = fit_scaling(X, "bins")
    assert fitted.sources(3).tolist() == [0] * 8 + [1, 2]
    new = np.concatenate([X[:50], [[9.0, 0.5, 4.0], [-9.0, 2.0, 2.0]]])
    scaled = fitted.apply(new)
    edges = np.quantile(X[:, 0], np.linspace(0.0, 1.0, 9), method="inverted_cdf")
    for bin_, (low, high) in enumerate(itertools.pairwise(edges)):
        filled = [min(max((value - low) / (high - low), 0.0), 1.0) for value in X[:, 0]]
        expected = [min(max((value - low) / (high - low), 0.0), 1.0) for value in new[:, 0]]
        expected = (np.array(expected) - np.mean(filled)) / np.std(filled)
        np.testing.assert_allclose(scaled[:, bin_], expected, rtol=1e-5, atol=1e-6)
    standard = (X[:50, 1] - X[:, 1].mean()) / X[:, 1].std()
    np.testing.assert_allclose(scaled[:50, 8], standard, rtol=1e-5)
    assert not scaled[:, 9].any()
    assert fitted.gather(np.arange(10.0), 3).tolist() == [28.0, 8.0, 9.0]


def test_robust_scaling_keeps_outliers_within_three(rng):
    column = rng.normal(size=200)
    column[:3] = [1e6, -1e9, 1e12]
    scaled = fit_scaling(column[:, None], "robust").apply(column[:, None])
    assert np.abs(scaled).max() <= 3.0 * (1.0 + 1e-6)
    assert np.abs(scaled[3:]).std() > 0.3, "the others keep their differences"


def test_a_column_that_is_mostly_one_value_is_scaled_by_its_deviation():
    column = np.array([0.0] * 90 + [1.0] * 10)[:, None]
    fitted = fit_scaling(column, "robust")
    assert fitted.arrays["scale"][0] == pytest.approx(column.std())


def test_quantile_scaling_makes_any_column_normal(rng):
    skewed = np.exp(3.0 * rng.normal(size=(5000, 1)))
    scaled = fit_scaling(skewed, "quantile").apply(skewed)[:, 0]
    assert stats.kstest(scaled, "norm").pvalue > 1e-3


def test_quantile_scaling_gives_equal_values_the_middle_of_their_levels():
    column = np.repeat([1.0, 2.0, 3.0], 100)[:, None]
    low, middle, high = fit_scaling(column, "quantile").apply(column)[::100, 0]
    assert middle == pytest.approx(0.0, abs=0.02)
    assert low == pytest.approx(-high, abs=0.02)


def test_robust_and_quantile_scaling_stand_side_by_side(rng):
    X = rng.normal(size=(50, 2))
    fitted = fit_scaling(X, "robust+quantile")
    alone = [fit_scaling(X, kind).apply(X) for kind in ("robust", "quantile")]
    np.testing.assert_array_equal(fitted.apply(X), np.hstack(alone))
    assert fitted.sources(2).tolist() == [0, 1, 0, 1]
    assert fit_scaling(X, "robust").sources(2).tolist() == [0, 1]


def test_directions_stand_beside_the_rows(rng):
    X = rng.lognormal(size=(60, 3)) * [1.0, 20.0, 0.1]
    fitted = fit_scaling(X, "robust+direction")
    directions = np.array([row / np.sqrt(sum(value**2 for value in row)) for row in X])
    alone = [fit_scaling(rows, "robust").apply(rows) for rows in (X, directions)]
    np.testing.assert_allclose(fitted.apply(X), np.hstack(alone), rtol=1e-5, atol=1e-6)
    assert fitted.sources(3).tolist() == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("factor", [1e-300, 0.5, 1e290])
def test_rows_of_any_length_have_the_same_direction(factor, rng):
    X = rng.normal(size=(60, 3))
    fitted = fit_scaling(X, "robust+direction")
    plain, longer = fitted.apply(X), fitted.apply(factor * X)
    np.testing.assert_allclose(longer[:, 3:], plain[:, 3:], rtol=1e-5, atol=1e-5)
    assert not np.allclose(longer[:, :3], plain[:, :3], atol=0.1)


def test_a_row_of_zeros_has_no_direction(rng):
    X = np.vstack([rng.normal(size=(60, 2)), np.zeros((1, 2))])
    fitted = fit_scaling(X, "robust+direction")
    z = (0.0 - fitted.arrays["direction_center"]) / fitted.arrays["direction_scale"]
    np.testing.assert_allclose(fitted.apply(X)[-1, 2:], z / np.sqrt(1 + (z / 3) ** 2), rtol=1e-5)


def test_a_direction_that_varies_by_rounding_alone_is_constant(rng):
    X = rng.normal(size=(60, 2))
    X[:, 0] += 1e9  # a row's length is that of its first column
    scaled = fit_scaling(X, "robust+direction").apply(X)
    assert not scaled[:, 2].any()
    assert scaled[:, 3].std() > 0.3


def test_quantile_scaling_is_centred_by_weights(rng):
    X = rng.normal(size=(200, 1))
    weights = np.where(X[:, 0] > 0.0, 9.0, 1.0)
    scaled = fit_scaling(X, "quantile", weights).apply(X)
    assert np.average(scaled[:, 0], weights=weights) == pytest.approx(0.0, abs=0.05)
