"""Successive halving: who is tried on which rung, by the errors of those tried before."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from askl.auto.candidates import Candidate, CandidateKey
from askl.auto.execution.budget import Budget
from askl.auto.execution.trial import Trial
from askl.auto.search import Search, rank
from askl.errors import AsklError
from tests.auto.cases import (
    SETTINGS,
    ScriptedScheduler,
    candidates_of,
    counted,
    problem_of,
    scheduler_of,
    trial,
)

SWAP = [(1, 0, 2, 3)]


def scripted_search(portfolio, error, *, problem=None, symmetries=(), settings=SETTINGS):
    problem = problem or counted()
    scheduler = ScriptedScheduler(problem, error)
    candidates = candidates_of(portfolio, problem, symmetries)
    return Search(candidates, scheduler, settings), scheduler


def by_name(errors, default=9.0):
    return lambda key, parameters: errors.get(key.name, default)


@pytest.mark.parametrize(("most_rows", "epochs"), [(10_000, 5), (200, 8), (20, 20)])
def test_the_first_rung_has_its_share_of_steps_on_however_many_rows(most_rows, epochs):
    X, y = load_diabetes(return_X_y=True)
    search, scheduler = scripted_search(
        {"small": Candidate({"n_components": 8}), "other": Candidate({})},
        by_name({}),
        problem=problem_of(X[:400], y[:400]),
        settings=SETTINGS._replace(first_rung_rows=most_rows),
    )
    search.run()
    fold, key, parameters = scheduler.begun[0]
    assert key == CandidateKey("small", short=True)
    assert (len(fold.train), parameters["max_epochs"]) == (min(320, most_rows), epochs)


@pytest.mark.parametrize(("n_samples", "expected"), [(100, 12), (1200, 8), (1600, 6), (9000, 6)])
def test_of_few_rows_more_candidates_are_tried_on_all_folds(n_samples, expected):
    portfolio = {str(i): Candidate({"max_epochs": 8}) for i in range(9)}
    search, scheduler = scripted_search(
        portfolio, lambda key, own: float(key.name), problem=counted(n_samples)
    )
    search.run()
    assert len({key for fold, key, _ in scheduler.begun if fold.number == 1}) == expected


@pytest.mark.parametrize("pays", [True, False])
def test_more_are_trained_to_the_end_only_where_that_paid(pays):
    portfolio = {str(i): Candidate({"max_epochs": 8}) for i in range(9)}

    def error(key, parameters):
        return float(key.name) + (0.5 if key.short == pays else 0.0)

    search, scheduler = scripted_search(portfolio, error)
    search.run()
    full = {key.name for fold, key, _ in scheduler.begun if fold.number == 0 and not key.short}
    n_expected = SETTINGS.n_full if pays else SETTINGS.n_first_full
    assert full == {str(i) for i in range(n_expected)}


@pytest.mark.parametrize(("error", "is_tried"), [(0.0, True), (9.0, False)])
def test_variants_are_tried_of_the_better_half_only(error, is_tried):
    portfolio = {
        "plain": Candidate({}),
        "other": Candidate({}),
        "variant": Candidate({}, parent="other"),
    }
    search, _ = scripted_search(portfolio, by_name({"other": error}, default=1.0))
    assert (CandidateKey("variant") in search.run().first_rung) == is_tried


def test_the_best_are_trained_to_the_end_before_variants_and_those_of_the_best_come_first():
    portfolio = {
        "good": Candidate({}),
        "of good": Candidate({}, parent="good"),
        "of best": Candidate({}, parent="best"),
        "best": Candidate({}),
        "bad": Candidate({}),
    }
    search, scheduler = scripted_search(portfolio, by_name({"best": 1.0, "good": 2.0, "bad": 3.0}))
    search.run()
    begun = [(key.name, key.short) for _, key, _ in scheduler.begun]
    assert begun[:3] == [("good", True), ("best", True), ("bad", True)]
    assert begun[3:6] == [("best", False), ("good", False), ("bad", False)]
    assert begun[6:8] == [("of best", True), ("of good", True)]


def test_a_variant_among_the_best_is_trained_to_the_end_though_that_did_not_pay():
    n_first = SETTINGS.n_first_full
    portfolio = {str(i): Candidate({"max_epochs": 8}) for i in range(n_first + 1)}
    portfolio["variant"] = Candidate({"max_epochs": 8}, parent="0")

    def error(key, parameters):
        return 1.0 + parameters["max_epochs"] - (key.name == "variant")

    search, scheduler = scripted_search(portfolio, error)
    search.run()
    full = {key.name for fold, key, _ in scheduler.begun if fold.number == 0 and not key.short}
    assert "variant" in full
    assert str(n_first) not in full


def test_symmetries_are_tried_of_the_better_half_and_kept_for_variants_where_they_help():
    portfolio = {name: Candidate({}) for name in ("best", "good", "poor", "bad")}
    portfolio |= {f"of {name}": Candidate({}, parent=name) for name in ("best", "good", "poor")}
    errors = {"best": 2.0, "good": 3.0, "poor": 4.0, "bad": 5.0}
    symmetric = {"best": 1.0, "good": 3.5}

    def error(key, parameters):
        return (symmetric if key.symmetric else errors).get(key.name, 9.0)

    search, scheduler = scripted_search(
        portfolio, error, problem=counted(n_features=4), symmetries=SWAP
    )
    first_rung = search.run().first_rung
    assert list(first_rung)[4:] == [
        CandidateKey("best", symmetric=True),
        CandidateKey("good", symmetric=True),
        CandidateKey("of best", symmetric=True),
        CandidateKey("of good"),
    ]
    used = {key: own.get("symmetries") for _, key, own in scheduler.begun}
    assert used[CandidateKey("of best", short=True, symmetric=True)] == SWAP
    assert used[CandidateKey("of good", short=True)] is None


@pytest.mark.parametrize("helps", [True, False])
@pytest.mark.parametrize(("is_estimated", "factor"), [(True, 1.25), (False, 1.0)])
def test_there_is_more_estimated_work_where_the_best_uses_symmetries(helps, is_estimated, factor):
    problem = counted(n_features=4)
    budget = Budget(60.0, estimated=is_estimated)
    scheduler = ScriptedScheduler(problem, lambda key, own: float(key.symmetric != helps), budget)
    candidates = candidates_of({"a": Candidate({}), "b": Candidate({})}, problem, SWAP)
    Search(candidates, scheduler, SETTINGS).run()
    assert budget.total == 60.0 * (factor if helps else 1.0)


def test_a_real_symmetry_wins_and_a_false_one_does_not():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 4))
    small = {"n_components": 64, "max_epochs": 4}
    densities = ("sparse", "gaussian")
    portfolio = {density: Candidate({**small, "density": density}) for density in densities}
    for sign, wins in ((1.0, True), (-1.0, False)):
        y = X[:, 0] + sign * X[:, 1] + 0.3 * random.normal(size=400)
        problem = problem_of(X, y)
        search = Search(candidates_of(portfolio, problem, SWAP), scheduler_of(problem), SETTINGS)
        assert rank(search.run().first_rung)[0].symmetric == wins


def test_one_candidate_or_few_rows_leave_nothing_to_search():
    for names, n_rows in (("a", 100), ("ab", 40)):
        portfolio = {name: Candidate({}) for name in names}
        search, scheduler = scripted_search(portfolio, by_name({}), problem=counted(n_rows))
        result = search.run()
        assert result.weights == {CandidateKey("a"): 1.0}
        assert result.held_out is None
        assert scheduler.begun == []


def test_where_there_is_time_for_one_trial_only_it_decides():
    X, y = load_diabetes(return_X_y=True)
    problem = problem_of(X, y)
    portfolio = {name: Candidate({"n_components": 16, "max_epochs": 4}) for name in "ab"}
    settings = SETTINGS._replace(first_rung_rows=100)
    budget = Budget(1e-6, estimated=True)
    candidates = candidates_of(portfolio, problem)
    result = Search(candidates, scheduler_of(problem, budget), settings).run()
    assert result.weights == {CandidateKey("a"): 1.0}
    assert result.trials == {}
    predictions, targets = result.held_out
    error = result.first_rung[CandidateKey("a")].error
    assert np.mean((predictions - targets) ** 2) == error


def test_nothing_that_can_be_trained_is_an_error_that_says_why():
    class Failing(ScriptedScheduler):
        def run_trials(self, fold, parameters, **options):
            for key in parameters:
                yield Trial(key, None, np.inf, 0.0, f"ValueError: no {key.name}")

    problem = counted()
    candidates = candidates_of({name: Candidate({}) for name in "ab"}, problem)
    search = Search(candidates, Failing(problem, by_name({})), SETTINGS)
    with pytest.raises(
        AsklError, match=r"No candidate could be trained: ValueError: no a; .* no b"
    ):
        search.run()


def test_members_are_left_the_time_they_will_take():
    problem = counted()
    portfolio = {
        "quick": Candidate({"max_epochs": 10}),
        "slow": Candidate({"max_epochs": 100, "n_components": 2000}),
    }
    candidates = candidates_of(portfolio, problem)
    quick, slow = CandidateKey("quick"), CandidateKey("slow")
    costs = scheduler_of(problem).costs
    seconds = {key: costs.estimate(candidates.parameters[key], 100) for key in (quick, slow)}
    total = 10.0 * 16 * seconds[quick]
    now = [0.0]
    budget = Budget(total, clock=lambda: now[0])
    search = Search(candidates, scheduler_of(problem, budget), SETTINGS, n_members=16)
    assert search.reserve() == pytest.approx(0.4 * total)  # as long as nothing is known
    search.trials = {quick: [trial(quick, 1.0)]}
    assert search.reserve() == pytest.approx(16 * seconds[quick])
    search.trials[slow] = [trial(slow, 1.0)]
    assert search.reserve() == pytest.approx(0.4 * total)
    search.expected = {quick: 4, slow: 0}
    assert search.reserve() == pytest.approx(4 * seconds[quick])
    budget.end(1.0, 1000.0)  # on a slow machine the same share is less work
    assert search.reserve() == pytest.approx(0.4 * total / 1000.0)


def test_without_a_budget_nothing_is_reserved():
    search, _ = scripted_search({"a": Candidate({}), "b": Candidate({})}, by_name({}))
    assert search.reserve() == 0.0


def test_candidates_that_failed_have_no_rank():
    a, b, c = (CandidateKey(name) for name in "abc")
    failed = Trial(b, None, 0.0, 1.0, "ValueError: no")
    assert rank({a: trial(a, 2.0), b: failed, c: trial(c, 1.0)}) == [c, a]
