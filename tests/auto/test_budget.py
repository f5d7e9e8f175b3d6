"""What a training is estimated to take, the default budget, and what is left of one."""

from __future__ import annotations

import numpy as np
import pytest

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.auto.budget import Budget, default_budget
from askl.auto.candidates import Candidate
from askl.auto.cost_model import (
    COSINE_SECONDS,
    LAYER_SECONDS,
    MULTIPLICATION_SECONDS,
    NUMBER_SECONDS,
    training_seconds,
)
from askl.auto.search import Search
from askl.auto.selection import squared_error
from askl.auto.trial import Problem


def test_the_default_budget_grows_with_rows_and_columns_between_two_ends():
    budgets = [default_budget(1600, 5), default_budget(10_000, 5), default_budget(10_000, 500)]
    assert budgets == sorted(budgets)
    assert budgets[0] == 18.0
    assert default_budget(10**7, 10) == 400.0


def test_of_few_rows_there_is_time_for_all_folds():
    assert [default_budget(n_rows, 5) for n_rows in (1600, 1200, 800, 400)] == [18, 24, 30, 36]


def test_a_training_is_foretold_by_counting_what_it_does():
    model = SpectralKernelClassifier(
        n_components=20, hidden_components=(30,), n_branches=1, max_epochs=7, batch_size=64
    )
    n_samples, d, K = 200, 5, 3
    # Four batches an epoch. Angles, and gradients of frequencies and of hidden features.
    first, second = 2 * d * 30, 2 * (d + 30) * 20 + 30 * 20
    expected = (
        LAYER_SECONDS * 7 * 4 * 2
        + MULTIPLICATION_SECONDS * 7 * n_samples * (first + second + 3 * 20 * K)
        + COSINE_SECONDS * 7 * n_samples * (30 + 20)
        + NUMBER_SECONDS * n_samples * d
    )
    assert training_seconds(model, n_samples, d, K) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("dearer", "cheaper"),
    [
        ({"n_branches": 2}, {"n_branches": 1}),
        ({"max_epochs": 30}, {"max_epochs": 29}),
        ({"batch_size": 32}, {"batch_size": 64}),
        ({"hidden_components": (8,)}, {}),
        ({"weigh_inputs": True}, {}),
        ({"refit_head": True}, {"refit_head": False}),
    ],
)
def test_more_to_do_takes_longer(dearer, cheaper):
    long, short = (
        training_seconds(SpectralKernelRegressor(**each), 500, 8, 1) for each in (dearer, cheaper)
    )
    assert long > short


def test_inputs_count_as_often_as_they_are_scaled():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(80, 2)), rng.integers(2, size=(80, 3))])
    problem = Problem(X, X[:, 0], None, 0, squared_error, seed=0)
    search = Search(problem, {"": Candidate({})}, Budget(None), {})
    for scaling, n_inputs in {"robust": 5, "robust+quantile": 10, "bins": 2 * 8 + 3}.items():
        settings = {"scale_inputs": scaling}
        expected = training_seconds(SpectralKernelRegressor(**settings), 80, n_inputs, 1)
        assert search.estimate_seconds(settings, 80) == expected


def test_named_seconds_are_those_of_the_clock_at_the_pace_of_what_has_ended(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("askl.auto.budget.time.monotonic", lambda: now[0])
    clock = Budget(12.0)
    assert (clock.spent, clock.pace, clock.expected) == (0.0, 1.0, 12.0)
    clock.begin(2.0)
    now[0] += 4.0
    clock.end(2.0, 4.0)
    assert (clock.seconds, clock.spent, clock.pace, clock.price) == (4.0, 4.0, 2.0, 2.0)
    assert clock.allows(4.0)
    assert not clock.allows(4.1)


def test_foretold_seconds_do_not_depend_on_the_clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("askl.auto.budget.time.monotonic", lambda: now[0])
    clock = Budget(12.0, estimated=True)
    clock.begin(2.0)
    now[0] += 400.0
    clock.end(2.0, 400.0)
    assert (clock.seconds, clock.spent, clock.price) == (400.0, 2.0, 1.0)
    assert clock.expected == 12.0 * 200.0  # what the bar says on so slow a machine
    assert clock.allows(10.0)
    assert not clock.allows(10.1)
