"""Grids over two inputs: which rows they hold, and where they are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from askl.insight.members import relevance_of
from askl.insight.plots.slices import cut_slice
from tests.models import regressor


def test_two_inputs_vary_and_the_others_stay(fitted_classifier, classes):
    X, _ = classes
    plane = cut_slice(fitted_classifier, X, features=(2, 0), n_points=5)
    assert plane.rows.shape == (25, 3)
    assert set(plane.rows[:, 1]) == {np.median(X[:, 1])}
    np.testing.assert_array_equal(plane.rows[:5, 2], plane.horizontal)
    np.testing.assert_array_equal(plane.rows[::5, 0], plane.vertical)
    values = np.arange(25.0)
    assert plane.on_grid(values)[3, 2] == 17.0
    np.testing.assert_array_equal(plane.rows[17, [2, 0]], [plane.horizontal[2], plane.vertical[3]])


def test_the_range_covers_most_rows_with_a_margin(fitted_classifier, classes):
    X, _ = classes
    plane = cut_slice(fitted_classifier, X, features=(0, 1))
    low, high = np.quantile(X[:, 0], [0.01, 0.99])
    assert plane.horizontal[0] == pytest.approx(low - 0.05 * (high - low))
    assert plane.horizontal[-1] == pytest.approx(high + 0.05 * (high - low))
    assert len(plane.vertical) == 60


def test_a_constant_input_has_a_range_all_the_same(fitted_classifier, classes):
    X = classes[0].copy()
    X[:, 1] = 7.0
    plane = cut_slice(fitted_classifier, X, features=(0, 1))
    assert (plane.vertical[0], plane.vertical[-1]) == (6.5, 7.5)


def test_the_two_most_relevant_inputs_vary_by_default(fitted_regressor, numbers):
    plane = cut_slice(fitted_regressor, numbers[0])
    assert list(plane.features) == np.argsort(-relevance_of(fitted_regressor))[:2].tolist()
    assert plane.names == tuple(f"input {feature}" for feature in plane.features)


def test_a_center_may_be_given(fitted_classifier, classes):
    X, _ = classes
    plane = cut_slice(fitted_classifier, X, features=(0, 1), center=[9.0, 8.0, 7.0])
    assert plane.center.tolist() == [9.0, 8.0, 7.0]
    assert set(plane.rows[:, 2]) == {7.0}


def test_gaps_do_not_count(auto_classifier, classes):
    X = np.where(np.arange(240)[:, None] % 5 == 0, np.nan, classes[0])
    plane = cut_slice(auto_classifier, X, features=(0, 1))
    kept = classes[0][np.arange(240) % 5 != 0]
    np.testing.assert_allclose(plane.center, np.median(kept, axis=0))
    assert np.isfinite(plane.rows).all()


def test_a_slice_needs_two_inputs(rng):
    X = rng.normal(size=(60, 1))
    model = regressor(max_epochs=1).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="at least 2 inputs"):
        cut_slice(model, X)


def test_names_of_columns_are_those_of_the_fit(numbers):
    X, y = numbers
    table = pd.DataFrame(X, columns=["u", "v", "w"])
    model = regressor(max_epochs=2).fit(table, y)
    assert cut_slice(model, table, features=(1, 2)).names == ("v", "w")
    assert cut_slice(model, table, features=(1, 2), names="abc").names == ("b", "c")
