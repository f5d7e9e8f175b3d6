from __future__ import annotations

import numpy as np
import pytest
import torch

from askl.learning.heads.head_problem import make_head_problem
from askl.learning.heads.strength_choice import FeatureRows, choose_strength, stratified_folds
from tests.learning.heads.problem import (
    SOLVED_NORMS,
    make_rows,
    make_weights,
    solve,
)


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_a_fold_is_judged_by_the_head_of_the_others(head_norm):
    features, targets = make_rows()
    folds = stratified_folds(targets, 4, torch.Generator().manual_seed(0))
    problem = make_head_problem(features, targets, "log", 3)
    choice = choose_strength(problem, head_norm, [0.1], folds=folds, tolerance=1e-7)
    for number in range(4):
        rows = folds == number
        (point,) = solve(features[~rows], targets[~rows], head_norm, [0.1], tolerance=1e-7)
        expected = features[rows] @ point.weights
        torch.testing.assert_close(choice.outputs[rows], expected, rtol=1e-4, atol=1e-5)
    score = torch.nn.functional.cross_entropy(choice.outputs, targets)
    assert choice.score == pytest.approx(float(score), rel=1e-9)


def test_stratified_folds_share_every_class():
    targets = torch.arange(3).repeat_interleave(torch.tensor([50, 25, 10]))
    folds = stratified_folds(targets, 5, torch.Generator().manual_seed(0))
    counts = torch.stack([targets[folds == number].bincount() for number in range(5)])
    assert (counts == torch.tensor([10, 5, 2])).all()


@pytest.mark.parametrize("how", ["held_out", "folds"])
def test_noise_asks_for_the_middle_of_the_path(how):
    features, targets = make_rows(n_samples=90, width=30, noise=3.0)
    problem = make_head_problem(features, targets, "log", 3)
    options = {}
    if how == "held_out":
        options["held_out"] = FeatureRows(*make_rows(n_samples=500, width=30, noise=3.0, seed=1))
    else:
        options["folds"] = stratified_folds(targets, 5, torch.Generator().manual_seed(0))
    choice = choose_strength(problem, strengths=[1.0, 0.5, 0.2, 1e-3, 1e-4], **options)
    assert choice.best.strength in (0.5, 0.2)
    assert choice.score == min(choice.scores)
    assert len(choice.scores) == len(choice.path)
    assert choice.best in choice.path


def test_held_out_rows_have_their_weights():
    features, targets = make_rows()
    weights = make_weights()
    problem = make_head_problem(features, targets, "log", 3)
    rows = FeatureRows(features, targets, weights)
    choice = choose_strength(problem, strengths=[0.1], held_out=rows)
    outputs = features @ choice.best.weights
    values = torch.nn.functional.cross_entropy(outputs, targets, reduction="none")
    assert choice.score == pytest.approx(float((values * weights).sum() / weights.sum()), rel=1e-9)


def test_of_equal_scores_the_strongest_is_chosen():
    # Features that are zero: no strength changes any output.
    problem = make_head_problem(torch.zeros(20, 3), torch.arange(20) % 2, "log", 2)
    choice = choose_strength(problem, strengths=[0.01, 1.0, 0.1], folds=torch.arange(20) // 2 % 5)
    assert choice.best.strength == 1.0
    assert choice.scores == [pytest.approx(np.log(2.0))] * 3


def test_the_path_ends_where_patience_does():
    features, targets = make_rows(n_samples=60, width=30, noise=100.0)
    problem = make_head_problem(features, targets, "log", 3)
    folds = stratified_folds(targets, 5, torch.Generator().manual_seed(0))
    strengths = [10.0 ** (-k) for k in range(7)]
    choice = choose_strength(problem, strengths=strengths, folds=folds, patience=2)
    assert len(choice.path) == strengths.index(choice.best.strength) + 3 < len(strengths)
