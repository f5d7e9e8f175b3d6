"""The scheduler: what begins within a budget, and that several at a time change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import Memory
from sklearn.datasets import load_iris

from askl.auto.candidates import CandidateKey
from askl.auto.execution.budget import Budget
from askl.auto.execution.folds import make_folds
from askl.auto.execution.scheduler import open_scheduler
from tests.auto.cases import SETTINGS, problem_of, scheduler_of

PARAMETERS = {
    CandidateKey(name): {"n_components": 8, "max_epochs": epochs}
    for name, epochs in {"a": 1, "b": 2, "c": 4, "d": 8}.items()
}


@pytest.fixture
def problem():
    X, y = load_iris(return_X_y=True)
    return problem_of(X, y, 3)


def fold_of(problem):
    return make_folds(problem.targets, 3, 0, SETTINGS)[0]


def estimates(problem):
    costs, n_samples = scheduler_of(problem).costs, len(fold_of(problem).train)
    return [costs.estimate(each, n_samples) for each in PARAMETERS.values()]


def names(trials):
    return "".join(trial.key.name for trial in trials)


def test_what_is_too_long_is_left_out_and_shorter_ones_may_follow(problem):
    seconds = estimates(problem)
    order = {key: PARAMETERS[key] for key in reversed(PARAMETERS)}
    budget = Budget(sum(seconds[:2]) * 1.001, estimated=True)
    assert names(scheduler_of(problem, budget).run_trials(fold_of(problem), order)) == "ba"
    assert budget.spent == pytest.approx(sum(seconds[:2]))


def test_a_reserve_is_kept_and_the_first_is_done_in_any_case_on_request(problem):
    total = sum(estimates(problem)) * 1.001
    for reserve, always, expected in (
        (0.0, False, "abcd"),
        (2 * total, False, ""),
        (2 * total, True, "a"),
    ):
        scheduler = scheduler_of(problem, Budget(total, estimated=True))
        trials = scheduler.run_trials(
            fold_of(problem), PARAMETERS, reserve=reserve, first_in_any_case=always
        )
        assert names(trials) == expected


def test_what_ended_is_counted_and_reported(problem):
    lines = []
    scheduler = scheduler_of(problem, on_end=lines.append)
    trials = list(scheduler.run_trials(fold_of(problem), PARAMETERS))
    assert [trial.estimated_seconds for trial in trials] == estimates(problem)
    budget = scheduler.budget
    assert budget.ended == budget.begun == pytest.approx(sum(estimates(problem)))
    assert budget.taken == pytest.approx(sum(trial.seconds for trial in trials))
    assert lines == [f"{trial.key}: {trial.error:.4g}" for trial in trials]


def test_several_at_a_time_are_the_same_under_a_budget_that_binds(problem):
    results = []
    for n_jobs in (None, 2):
        budget = Budget(sum(estimates(problem)[:3]) * 1.001, estimated=True)
        scheduler = scheduler_of(problem, budget, n_jobs=n_jobs)
        results.append(list(scheduler.run_trials(fold_of(problem), PARAMETERS)))
    assert names(results[0]) == names(results[1]) == "abc"
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one.predictions, other.predictions)


def test_a_failed_member_is_reported_without_a_model(problem):
    lines = []
    wrong = {**PARAMETERS[CandidateKey("a")], "symmetries": [(0, 1)]}
    planned = [(CandidateKey("a"), wrong, 1), (CandidateKey("b"), PARAMETERS[CandidateKey("b")], 2)]
    failed, trained = scheduler_of(problem, on_end=lines.append).train_members(planned)
    assert failed.model is None
    assert failed.failure in lines[0]
    assert trained.model.random_state == 2
    assert lines[1] == "b: trained on all rows"


@pytest.mark.parametrize("memory", [True, False])
def test_a_finished_training_is_not_done_again_where_it_is_remembered(memory, problem, tmp_path):
    folder = str(tmp_path) if memory else None
    seconds = []
    for _ in range(2):
        budget = Budget(None)
        with open_scheduler(
            problem, budget, SETTINGS.cost, n_jobs=None, memory=folder, title="Test", verbose=0
        ) as scheduler:
            trials = scheduler.run_trials(fold_of(problem), PARAMETERS)
            seconds.append([trial.seconds for trial in trials])
    assert (seconds[0] == seconds[1]) == memory  # a stored trial has the seconds it took then


def test_a_memory_of_the_users_own_is_taken(problem, tmp_path):
    own = Memory(str(tmp_path), verbose=0)
    with open_scheduler(
        problem, Budget(None), SETTINGS.cost, n_jobs=None, memory=own, title="Test", verbose=0
    ) as scheduler:
        assert names(scheduler.run_trials(fold_of(problem), PARAMETERS)) == "abcd"
    assert any(tmp_path.rglob("output.pkl"))
