"""The parameters that both automatic models have."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import clone

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.auto.parameters import AutoParameters
from askl.auto.settings import SearchSettings
from askl.preprocessing.parameter_table import constraints_of

BOTH = pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])


@BOTH
def test_defaults_are_allowed_and_documented(kind):
    kind().check_parameters()
    names = set(constraints_of(AutoParameters))
    assert set(inspect.signature(kind).parameters) == set(kind().get_params()) == names
    documentation = inspect.getdoc(kind)
    for name in names:
        assert f"\n{name} : " in documentation
    for attribute in ("leaderboard_", "encoders_", "held_out_score_", "member_weights_"):
        assert f"\n{attribute} : " in documentation


@BOTH
@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("time_budget", 0),
        ("time_budget", "long"),
        ("max_members", 0),
        ("portfolio", "dense"),
        ("memory", 3),
        ("n_jobs", "all"),
        ("n_threads", 0),
        ("device", None),
        ("random_state", "seed"),
        ("verbose", -1),
        ("settings", {"n_folds": 3}),
    ],
)
def test_a_bad_value_names_itself(kind, parameter, value):
    model = kind(**{parameter: value})
    expected = rf"The '{parameter}' parameter of {kind.__name__} must be .* Got .* instead\."
    with pytest.raises(ValueError, match=expected):
        model.fit([[0.0], [1.0]], [0, 1])


def test_parameters_are_named_and_cloned():
    with pytest.raises(TypeError):
        AutoSpectralKernelRegressor("auto")
    settings = SearchSettings(n_folds=3)
    model = AutoSpectralKernelRegressor(settings=settings, max_members=2)
    assert clone(model).get_params() == model.get_params()
    assert model.resolve_settings() is settings
    assert AutoSpectralKernelRegressor().resolve_settings() == SearchSettings()
