from __future__ import annotations

import numpy as np
import pytest

from askl.theory import (
    as_drawn,
    diagonal,
    marginal_spectral_density,
    spectral_density,
    summarize_spectrum,
)
from tests.models import classifier, regressor, transformer


@pytest.mark.parametrize("activation", ["cosine", "paired"])
def test_the_diagonal_is_the_formula_of_the_paper(activation, classes):
    X, y = classes
    model = classifier(activation=activation, scale_inputs="none").fit(X, y)
    first, second = model.frequencies_.astype(float)
    expected = 0.5 * (1.0 + np.cos(X.astype(np.float32) @ (first - second))).mean(axis=1)
    np.testing.assert_allclose(diagonal(model, X), expected, atol=1e-6)


def test_a_diagonal_without_closed_form_is_that_of_features(classes):
    X, y = classes
    model = classifier(activation="sigmoid").fit(X, y)
    np.testing.assert_allclose(diagonal(model, X), np.diag(model.kernel(X)), rtol=1e-5)


def test_a_stationary_kernel_is_summarised_as_one(classes):
    X, y = classes
    summary = summarize_spectrum(classifier("skl").fit(X, y), X)
    assert summary.off_diagonal_share == 0.0
    assert summary.diagonal_mean == pytest.approx(1.0)
    assert summary.diagonal_deviation == pytest.approx(0.0, abs=1e-9)


def test_a_learned_kernel_is_summarised_by_what_has_changed(classes):
    X, y = classes
    model = classifier().fit(X, y)
    summary, start = summarize_spectrum(model, X), as_drawn(model)
    moved = np.linalg.norm(model.frequencies_ - start.frequencies_, axis=1)
    assert summary.n_components == 60
    assert summary.largest_moved == pytest.approx(moved.max(), rel=1e-6)
    assert 0.0 < summary.median_moved < summary.largest_moved
    assert 0.0 < summary.off_diagonal_share < 0.5
    assert 1.0 < summary.effective < 60.0
    assert summary.diagonal_deviation == pytest.approx(diagonal(model, X).std())


def test_a_head_on_one_frequency_has_one_effective_frequency(classes):
    X, y = classes
    model = classifier().fit(X, y)
    model.weights_ = np.zeros_like(model.weights_)
    model.weights_[7] = 1.0
    assert summarize_spectrum(model, X).effective == pytest.approx(1.0)


@pytest.mark.parametrize("feature", [None, 1])
def test_densities_are_on_one_grid_before_and_after(feature, numbers):
    model = regressor().fit(*numbers)
    surface = spectral_density(model, feature=feature, n_points=31)
    marginal = marginal_spectral_density(model, feature=feature, n_points=31)
    np.testing.assert_array_equal(surface.grid, marginal.grid)
    assert surface.before.shape == surface.after.shape == (31, 31)
    assert marginal.before.shape == marginal.after.shape == (31,)
    assert not np.allclose(surface.before, surface.after)
    assert (surface.after >= 0.0).all()


def test_a_density_that_was_assigned_changes_by_the_use_of_frequencies_only(classes):
    random = transformer("nsk").fit(classes[0])  # no head: all frequencies count alike
    density = marginal_spectral_density(random, feature=0)
    np.testing.assert_allclose(density.before, density.after)


def test_a_stack_shows_the_layer_that_sees_the_inputs(classes):
    model = classifier(hidden_components=(20,)).fit(*classes)
    assert summarize_spectrum(model, classes[0]).n_components == 20
