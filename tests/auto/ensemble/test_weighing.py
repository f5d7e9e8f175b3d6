"""Weights of candidates: on which folds they are compared, and who shares weight evenly."""

from __future__ import annotations

import numpy as np
import pytest

from askl.auto.candidates import CandidateKey
from askl.auto.ensemble.weighing import pays_in_full, weigh_candidates
from askl.auto.execution.folds import make_folds
from tests.auto.cases import SETTINGS, problem_of, trial

BEST, NEAR, TOO, BAD = (CandidateKey(name) for name in ("best", "near", "near too", "bad"))


def make_problem(n_classes, rng):
    numbers = rng.normal(size=100)
    targets = (numbers > 0.0).astype(int) if n_classes else numbers
    return problem_of(np.zeros((100, 2)), targets, n_classes)


def folds_of(problem):
    return make_folds(problem.targets, problem.n_classes, problem.seed, SETTINGS)


def predictions(problem, rows, shift):
    """All err the same way, so that greedy selection takes the best alone."""
    targets = problem.targets[rows]
    if not problem.n_classes:
        return targets + shift
    wrong = np.arange(len(rows)) < 5 * shift
    second = np.where(wrong ^ (targets == 1), 0.9, 0.1)
    return np.column_stack([1.0 - second, second])


def weigh(problem, trials, **options):
    rule = {"n_deep": 6, "n_bags": 3, **options}
    return weigh_candidates(trials, folds_of(problem), problem, SETTINGS, **rule)


@pytest.mark.parametrize("n_classes", [0, 2])
@pytest.mark.parametrize("form", ["full", "short", "full, but short is better"])
def test_what_is_nearly_as_good_shares_but_of_classes_only_what_pays_in_full(n_classes, form, rng):
    problem = make_problem(n_classes, rng)
    rows = folds_of(problem)[0].held_out
    near = NEAR.shortened if form == "short" else NEAR
    shifts = {BEST: 1.0, near: 1.1, TOO: 1.05, BAD: 3.0}
    trials = {
        key: [trial(key, shift, predictions(problem, rows, shift))] for key, shift in shifts.items()
    }
    if form == "full, but short is better":
        failed = trial(NEAR.shortened, 1.05)._replace(predictions=None)  # not itself weighed
        trials[NEAR.shortened] = [failed]
    weights = weigh(problem, trials).weights
    # Two are too few to share anything.
    too_few = n_classes and form != "full"
    best, others = (1.0, 0.0) if too_few else (2 / 3, 1 / 6)
    assert weights[BEST] == pytest.approx(best)
    assert weights[near] == weights[TOO] == pytest.approx(others)
    assert weights[BAD] == 0.0


def test_a_fold_that_few_were_tried_on_counts_for_none(rng):
    problem = make_problem(0, rng)
    folds = folds_of(problem)

    def tried(key, shift, n_folds):
        parts = [predictions(problem, fold.held_out, shift) for fold in folds[:n_folds]]
        return [trial(key, shift, part) for part in parts]

    trials = {BEST: tried(BEST, 1.0, 1), NEAR: tried(NEAR, 1.5, 2), BAD: tried(BAD, 3.0, 2)}
    first, both = weigh(problem, trials, n_deep=3), weigh(problem, trials, n_deep=2)
    assert set(first.weights) == {BEST, NEAR, BAD}
    assert len(first.held_out.targets) == 20
    assert set(both.weights) == {NEAR, BAD}  # on two folds, the first is not known
    expected = np.concatenate([problem.targets[fold.held_out] for fold in folds[:2]])
    np.testing.assert_array_equal(both.held_out.targets, expected)


def test_held_out_predictions_are_the_weighted_mean(rng):
    problem = make_problem(0, rng)
    rows = folds_of(problem)[0].held_out
    shifts = {BEST: 1.0, NEAR: -1.0}
    trials = {key: [trial(key, 1.0, predictions(problem, rows, s))] for key, s in shifts.items()}
    weighed = weigh(problem, trials)
    assert sum(weighed.weights.values()) == pytest.approx(1.0)
    mean = sum(weighed.weights[key] * trials[key][0].predictions for key in trials)
    np.testing.assert_allclose(weighed.held_out.predictions, mean)
    assert problem.error(mean, problem.targets[rows]) < 0.2  # opposite errors cancel


def test_what_failed_has_no_weight(rng):
    problem = make_problem(0, rng)
    rows = folds_of(problem)[0].held_out
    failed = trial(BAD, np.inf)._replace(predictions=None, failure="ValueError: no")
    trials = {BEST: [trial(BEST, 1.0, predictions(problem, rows, 1.0))], BAD: [failed]}
    assert weigh(problem, trials).weights == {BEST: 1.0}


def test_full_training_pays_where_there_was_no_better_short_one():
    short = NEAR.shortened
    trials = {NEAR: [trial(NEAR, 1.0)]}
    assert pays_in_full(NEAR, trials)
    assert pays_in_full(NEAR, {**trials, short: [trial(short, 1.1)]})
    assert not pays_in_full(NEAR, {**trials, short: [trial(short, 0.9)]})
    assert not pays_in_full(short, {short: [trial(short, 0.9)]})
