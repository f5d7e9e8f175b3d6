"""The spectral density: its surface, its marginals, and models that have none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid

from askl.insight.plots import MarginalDensityDisplay, SpectralDensityDisplay
from askl.theory import marginal_spectral_density, spectral_density
from tests.models import classifier, regressor, transformer

BOTH = pytest.mark.parametrize("display", [SpectralDensityDisplay, MarginalDensityDisplay])


@pytest.mark.parametrize("before", [False, True])
def test_the_surface_is_the_density_of_the_model(before, fitted_regressor):
    display = SpectralDensityDisplay.from_estimator(
        fitted_regressor, feature=1, before=before, n_points=21
    )
    density = spectral_density(fitted_regressor, feature=1, n_points=21)
    np.testing.assert_array_equal(display.surface, density.before if before else density.after)
    np.testing.assert_array_equal(display.grid, density.grid)
    (mesh,) = display.ax_.collections
    np.testing.assert_array_equal(mesh.get_array().ravel(), display.surface.ravel())
    assert mesh.norm.gamma == 0.5
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("ω, input 1", "ω'")
    assert display.ax_.get_aspect() == 1.0


def test_the_marginal_is_drawn_before_and_after(fitted_regressor):
    display = MarginalDensityDisplay.from_estimator(fitted_regressor, n_points=31)
    density = marginal_spectral_density(fitted_regressor, n_points=31)
    lines = {line.get_label(): line for line in display.ax_.get_lines()}
    np.testing.assert_array_equal(lines["as drawn"].get_ydata(), density.before)
    np.testing.assert_array_equal(lines["learned"].get_ydata(), density.after)
    np.testing.assert_array_equal(lines["learned"].get_xdata(), density.grid)
    assert lines["as drawn"].get_linestyle() == "--"
    assert display.ax_.get_xlabel() == "ω, first principal direction"
    assert display.ax_.get_ylim()[0] == 0.0


def test_the_marginal_widens_where_learning_speeds_the_kernel_up(numbers):
    X, y = numbers  # sin(2 x): faster than the frequencies drawn here
    model = regressor(frequency_scale=0.2, max_epochs=40).fit(X, y)
    display = MarginalDensityDisplay.from_estimator(model, feature=0)
    variance = [
        trapezoid(density * display.grid**2, display.grid)
        for density in (display.before, display.after)
    ]
    assert variance[1] > 2.0 * variance[0]


def test_a_transformer_shows_its_density(classes):
    model = transformer().fit(*classes)
    density = spectral_density(model)
    display = SpectralDensityDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.surface, density.after)


def test_directions_are_named_by_the_columns_of_the_fit(numbers):
    X, y = numbers
    model = regressor(max_epochs=2).fit(pd.DataFrame(X, columns=["u", "v", "w"]), y)
    shown = MarginalDensityDisplay.from_estimator(model, feature=2)
    assert shown.ax_.get_xlabel() == "ω, w"
    renamed = MarginalDensityDisplay.from_estimator(model, feature=2, names=["a", "b", "c"])
    assert renamed.ax_.get_xlabel() == "ω, c"


@BOTH
def test_an_ensemble_shows_its_heaviest_spectral_member(display, auto_classifier):
    spectral = [
        place
        for place, member in enumerate(auto_classifier.members_)
        if member.activation_ == "cosine"
    ]
    heaviest = max(spectral, key=lambda place: auto_classifier.member_weights_[place])
    shown = display.from_estimator(auto_classifier)
    own = display.from_estimator(auto_classifier.members_[heaviest])
    np.testing.assert_array_equal(shown.grid, own.grid)
    named = display.from_estimator(auto_classifier, member=heaviest)
    np.testing.assert_array_equal(named.grid, own.grid)


def test_inputs_of_members_are_named_by_the_encoded_columns(auto_regressor):
    names = auto_regressor.encoded_names().tolist()
    shown = MarginalDensityDisplay.from_estimator(
        auto_regressor, feature=names.index("<color>_red")
    )
    assert shown.ax_.get_xlabel() == "ω, <color>_red"


@BOTH
def test_rectified_models_have_no_density(display, auto_rectified, classes):
    with pytest.raises(ValueError, match=r"None of the . members has a spectral density"):
        display.from_estimator(auto_rectified)
    with pytest.raises(ValueError, match="activation='relu' has no spectral density"):
        display.from_estimator(classifier(activation="relu", max_epochs=1).fit(*classes))
