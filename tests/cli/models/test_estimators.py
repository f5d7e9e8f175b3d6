"""From names and settings to estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import Pipeline

import askl
from askl.cli.models.estimators import final_step, make_estimator, parse_settings
from askl.cli.models.problem import Problem

NUMBERS = Problem(np.zeros((4, 2)), np.arange(4.0), True, None)
WORDS = Problem(pd.DataFrame({"a": ["x", "y"] * 2}), np.array([0, 1] * 2), False, "y")
GAPS = Problem(pd.DataFrame({"a": [1.0, np.nan]}), np.array([0, 1]), False, "y")


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
        st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.booleans()
        | st.none()
        | st.sampled_from(["hinge", "sparse", "a b"]),
        max_size=4,
    )
)
@settings(max_examples=100)
def test_settings_come_back_as_they_were_written(values):
    assert parse_settings([f"{name}={value}" for name, value in values.items()]) == values


@pytest.mark.parametrize("text", ["n_components", "=3", ""])
def test_a_setting_needs_a_name_and_a_value(text):
    with pytest.raises(typer.BadParameter, match="name=value"):
        parse_settings([text])


def test_the_task_and_the_method_decide_the_class():
    automatic = make_estimator(NUMBERS, "auto", {"time_budget": 3}, seed=5)
    assert isinstance(automatic, askl.AutoSpectralKernelRegressor)
    assert (automatic.time_budget, automatic.random_state) == (3, 5)
    plain = make_estimator(NUMBERS, "nsk", {"n_components": 7}, seed=1)
    assert isinstance(plain, askl.SpectralKernelRegressor)
    assert (plain.method, plain.n_components, plain.random_state) == ("nsk", 7, 1)
    assert isinstance(make_estimator(WORDS, "auto", {}, seed=0), askl.AutoSpectralKernelClassifier)


@pytest.mark.parametrize("problem", [WORDS, GAPS])
def test_texts_and_gaps_get_an_encoder(problem):
    model = make_estimator(problem, "askl", {}, seed=0)
    assert isinstance(model, Pipeline)
    assert isinstance(final_step(model), askl.SpectralKernelClassifier)
    assert final_step(final_step(model)) is final_step(model)


def test_a_misspelt_parameter_is_named_with_those_like_it():
    with pytest.raises(typer.BadParameter, match=r"no parameter 'n_component'.*n_components"):
        make_estimator(NUMBERS, "askl", {"n_component": 3}, seed=0)
    with pytest.raises(typer.BadParameter, match=r"AutoSpectral.* no parameter 'method'"):
        make_estimator(NUMBERS, "auto", {"method": "askl"}, seed=0)
