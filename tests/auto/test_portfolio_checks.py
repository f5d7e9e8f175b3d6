"""A user's portfolio: what is wrong with it is said before any work is done."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_iris

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.auto.candidates import Candidate
from askl.auto.portfolio_checks import check_portfolio


def message(portfolio, task="classification"):
    with pytest.raises(ValueError, match="portfolio") as caught:
        check_portfolio("Auto", portfolio, task)
    return str(caught.value)


def test_a_misspelt_parameter_names_itself_its_candidate_and_its_near_misses():
    text = message({"good": {"n_components": 5}, "bad": {"n_component": 5}})
    assert text == (
        "The 'portfolio' parameter of Auto must hold parameters of SpectralKernelClassifier. "
        "Got 'n_component' in candidate 'bad' instead. Did you mean 'n_components' or "
        "'hidden_components'?"
    )
    assert "hidden_components" in message({"bad": {"hidden_component": (5,)}})
    assert "Did you mean" not in message({"bad": {"qqqq": 5}})


def test_a_bad_value_gives_the_estimators_own_error_and_the_candidates_name():
    text = message({"one": {"n_components": 0}})
    assert text.startswith("Candidate 'one' in the portfolio of Auto: The 'n_components' parameter")
    assert "Got 0 instead" in text
    assert "a loss for regression" in message({"one": {"loss": "squared"}})


def test_what_the_automatic_model_decides_is_refused():
    assert "'random_state'" in message({"one": {"random_state": 3}})


def test_an_unknown_parent_is_refused_with_its_near_misses():
    portfolio = {"dense": Candidate({}), "other": Candidate({}, parent="dens")}
    assert message(portfolio).endswith("Got 'dens' instead. Did you mean 'dense'?")


@pytest.mark.parametrize("portfolio", [{}, {3: {}}, {"one": 5}, {"one": None}])
def test_it_is_a_dict_of_names_to_dicts_and_not_empty(portfolio):
    message(portfolio)


def test_parameters_of_the_other_task_are_unknown():
    check_portfolio("Auto", {"one": {"scale_targets": "log"}}, "regression")


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_fit_checks_before_anything_is_trained(kind, tmp_path):
    X, y = load_iris(return_X_y=True)
    portfolio = {"good": {"n_components": 8}, "bad": {"n_component": 8}}
    model = kind(portfolio=portfolio, memory=str(tmp_path), time_budget=None)
    with pytest.raises(ValueError, match="'n_component' in candidate 'bad'"):
        model.fit(X, y)
    assert list(tmp_path.iterdir()) == []
    assert not hasattr(model, "n_features_in_")
