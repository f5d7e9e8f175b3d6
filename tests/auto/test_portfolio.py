"""The built-in portfolio: it is sound, and suits the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from askl.auto.candidates import Candidate, CandidateKey
from askl.auto.portfolio import PORTFOLIO, choose_candidates, choose_portfolio
from askl.auto.portfolio_checks import check_portfolio
from tests.auto.cases import SETTINGS


def names(X, task="classification", settings=SETTINGS):
    return set(choose_portfolio(X, task, settings))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_built_in_portfolio_passes_the_checks_of_a_users(task):
    portfolio = choose_portfolio(np.zeros((50, 2)), task, SETTINGS)
    assert len(portfolio) > 20
    check_portfolio("Auto", portfolio, task)


def test_parents_are_in_the_portfolio_and_have_none():
    parents = {candidate.parent for candidate in PORTFOLIO.values() if candidate.parent}
    assert parents
    assert all(not PORTFOLIO[name].parent for name in parents)


def test_parents_are_for_every_task_of_their_variants():
    for candidate in PORTFOLIO.values():
        if candidate.parent:
            assert PORTFOLIO[candidate.parent].task in ("", candidate.task)


@pytest.mark.parametrize(
    ("task", "other"), [("classification", "regression"), ("regression", "classification")]
)
def test_a_candidate_for_one_task_is_not_tried_for_the_other(task, other, rng):
    chosen = choose_portfolio(rng.normal(size=(50, 2)), task, SETTINGS)
    assert chosen == {name: each for name, each in PORTFOLIO.items() if each.task != other}
    assert ("rectified" in chosen) == (task == "regression")


def test_candidates_for_classes_have_no_parameter_of_regressors():
    for candidate in choose_portfolio(np.zeros((50, 2)), "classification", SETTINGS).values():
        assert not {"refit_head", "scale_targets"} & set(candidate.parameters)


def test_there_are_not_very_many_bins(rng):
    X = rng.normal(size=(50, 21))
    assert any("bins" in name for name in names(X[:, :20]))
    assert not any("bins" in name for name in names(X))
    flags = np.tile(X > 0.0, 5)  # of two values, a column has one bin
    assert any("bins" in name for name in names(flags))
    assert not any("bins" in name for name in names(np.tile(flags, 2)))


def test_sparse_inputs_get_no_ranks_and_no_bins():
    chosen = choose_portfolio(csr_matrix(np.eye(50, 4)), "regression", SETTINGS)
    scalings = {each.parameters.get("scale_inputs", "robust") for each in chosen.values()}
    assert scalings == {"robust", "standard"}


def test_very_many_columns_are_not_decorrelated():
    settings = SETTINGS._replace(most_columns_to_decorrelate=5, most_bins=0)
    few, many = (names(np.ones((20, n_columns)), settings=settings) for n_columns in (5, 6))
    decorrelated = {name for name in few if PORTFOLIO[name].parameters.get("decorrelate_inputs")}
    assert decorrelated
    assert many == few - decorrelated


def test_a_users_portfolio_is_taken_as_it_is():
    portfolio = {
        "mine": {"n_components": 5, "scale_inputs": "bins"},
        "for numbers": Candidate({}, task="regression"),
    }
    made = choose_candidates(
        portfolio,
        csr_matrix(np.eye(50, 4)),
        task="classification",
        settings=SETTINGS,
        symmetries=[],
        fixed={},
    )
    assert {key.name for key in made.parameters} == set(portfolio)
    assert made.parameters[CandidateKey("mine")]["n_components"] == 5
