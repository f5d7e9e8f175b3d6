"""The automatic regressor: several outputs, and standard deviations."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from askl import AutoSpectralKernelRegressor, load
from tests.auto.cases import QUICK, quick


def test_regression_has_deviations_and_many_outputs():
    X, y = load_diabetes(return_X_y=True)
    model = quick(AutoSpectralKernelRegressor).fit(X, y)
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, model.predict(X))
    assert np.mean(np.abs(y - mean) <= 1.645 * deviation) == pytest.approx(0.9, abs=0.08)
    both = quick(AutoSpectralKernelRegressor).fit(X, np.stack([y, -y], axis=1))
    assert both.predict(X).shape == (len(y), 2)


def test_members_without_a_solved_head_have_the_deviation_of_held_out_errors(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    descended = {name: {**each, "refit_head": False} for name, each in QUICK.items()}
    targets = np.stack([y, -2.0 * y], axis=1)
    model = quick(AutoSpectralKernelRegressor, portfolio=descended).fit(X, targets)
    assert not any(member.has_deviations for member in model.members_)
    assert model.held_out_deviation_.shape == (2,)
    mean, deviation = model.predict(X, return_std=True)
    assert (deviation >= model.held_out_deviation_).all()
    within_bounds = np.abs(targets - mean) <= 1.645 * deviation
    np.testing.assert_allclose(within_bounds.mean(axis=0), 0.9, atol=0.08)
    again = load(model.save(tmp_path / "model.askl"))
    np.testing.assert_array_equal(again.predict(X, return_std=True)[1], deviation)

    mixed = {**QUICK, "descended": descended["one layer"]}
    one = quick(AutoSpectralKernelRegressor, portfolio=mixed).fit(X, y)
    assert load(one.save(tmp_path / "one.askl")).held_out_deviation_ == one.held_out_deviation_
    alone = {"one layer": descended["one layer"]}  # nothing to choose, nothing held out
    with pytest.raises(ValueError, match="refit_head=True"):
        quick(AutoSpectralKernelRegressor, portfolio=alone).fit(X, y).predict(X, return_std=True)
