"""Members: how many of each candidate, in which order, with which seeds and weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from askl.auto.candidates import Candidate, CandidateKey
from askl.auto.ensemble.members import FIRST_SEED, count_members, mean_prediction, train_members
from askl.auto.execution.budget import Budget
from askl.errors import AsklError
from tests.auto.cases import candidates_of, problem_of, scheduler_of

A, B, C = (CandidateKey(name) for name in "abc")
SMALL = {"n_components": 16, "max_epochs": 2}


@pytest.fixture
def problem():
    X, y = load_iris(return_X_y=True)
    return problem_of(X, y, 3)


def parameters_of(problem, **extra):
    portfolio = {name: Candidate({**SMALL, **extra.get(name, {})}) for name in "abc"}
    return candidates_of(portfolio, problem).parameters


def test_members_are_counted_by_weight_and_equal_ones_by_their_order():
    assert count_members({A: 0.7, B: 0.3}, 4, [A, B, C]) == {A: 3, B: 1, C: 0}
    assert count_members({A: 0.5, B: 0.5}, 1, [B, A]) == {B: 1, A: 0}


def test_the_heaviest_come_first_and_each_copy_has_a_seed_and_a_share(problem):
    lines = []
    scheduler = scheduler_of(problem, on_end=lines.append)
    members = train_members({A: 0.3, B: 0.7}, 3, parameters_of(problem), scheduler)
    assert [line.split(":")[0] for line in lines] == ["b", "b", "a"]
    seeds = [model.random_state - FIRST_SEED for model in members.models]
    assert seeds == [0, 1, 0]
    np.testing.assert_allclose(members.weights, [0.35, 0.35, 0.3])


def test_weights_sum_to_one_where_time_ended_before_the_last(problem):
    parameters = parameters_of(problem)
    estimate = scheduler_of(problem).costs.estimate(parameters[B], problem.n_samples)
    scheduler = scheduler_of(problem, Budget(2.5 * estimate, estimated=True))
    members = train_members({A: 0.2, B: 0.8}, 4, parameters, scheduler)
    assert len(members.models) == 2
    np.testing.assert_allclose(members.weights, [0.5, 0.5])


def test_one_is_trained_in_any_case(problem):
    scheduler = scheduler_of(problem, Budget(1e-9, estimated=True))
    assert len(train_members({A: 1.0}, 4, parameters_of(problem), scheduler).models) == 1


def test_a_member_that_fails_is_left_out(problem):
    wrong = {"symmetries": [(0, 1)]}  # there are four columns
    parameters = parameters_of(problem, b=wrong)
    members = train_members({A: 0.4, B: 0.6}, 2, parameters, scheduler_of(problem))
    assert members.weights.tolist() == [1.0]
    with pytest.raises(AsklError, match=r"No member could be trained: ValueError: .*symmetries"):
        train_members({B: 1.0}, 2, parameters, scheduler_of(problem))


def test_the_mean_prediction_is_the_weighted_sum(problem):
    members = train_members({A: 0.5, B: 0.5}, 2, parameters_of(problem), scheduler_of(problem))
    mean = mean_prediction(members.models, [0.25, 0.75], problem.X, 3)
    first, second = (model.predict_proba(problem.X) for model in members.models)
    np.testing.assert_allclose(mean, 0.25 * first + 0.75 * second)
