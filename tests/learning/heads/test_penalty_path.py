from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from askl.learning import HEAD_NORMS, LOSSES, HeadNorm, UnsquaredNorm, prox_trace_norm, trace_norm
from askl.learning.heads.head_problem import make_head_problem
from askl.learning.heads.penalty_path import lambda_max
from tests.learning.heads.problem import (
    DOUBLE,
    SOLVED_NORMS,
    STRENGTHS,
    gradient_of,
    make_rows,
    make_weights,
    solve,
)

SOLVED_LOSSES = [name for name, row in LOSSES.items() if row.curvature is not None]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_frobenius_head_is_logistic_regression(n_classes, weighted, intercept):
    features, targets = make_rows(n_classes=n_classes)
    weights = make_weights() if weighted else None
    points = solve(
        features, targets, "frobenius", STRENGTHS, sample_weights=weights, intercept=intercept
    )
    total = 120.0 if weights is None else float(weights.sum())
    for point in points[1:]:
        # Two classes are one vector u there, and ±u/2 here: half the squared norm.
        share = 1.0 if n_classes == 2 else 2.0
        peer = LogisticRegression(
            C=1.0 / (share * total * point.penalty), fit_intercept=intercept, tol=1e-10,
            solver="newton-cg", max_iter=1000,
        ).fit(features.numpy(), targets.numpy(), weights)  # fmt: skip
        ours = point.weights if n_classes > 2 else (point.weights[:, 1:] - point.weights[:, :1])
        np.testing.assert_allclose(ours, peer.coef_.T, rtol=1e-4, atol=1e-6)
        if intercept and n_classes > 2:
            expected = peer.intercept_ - peer.intercept_.mean()
            np.testing.assert_allclose(point.intercept, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_the_frobenius_head_is_where_the_gradient_vanishes(loss):
    features, targets = make_rows(n_classes=4)
    for point in solve(features, targets, "frobenius", STRENGTHS, loss=loss)[1:]:
        gradient = gradient_of(point, features, targets, loss)
        torch.testing.assert_close(
            gradient, -2.0 * point.penalty * point.weights, rtol=0.0, atol=1e-7 * point.threshold
        )


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["log", "smoothed_log", "hinge"])
def test_the_trace_head_stays_under_its_proximal_step(loss, intercept):
    features, targets = make_rows(n_classes=5, n_samples=120)
    weights = make_weights()
    points = solve(
        features, targets, "trace", STRENGTHS, loss=loss, tolerance=1e-6,
        sample_weights=weights, intercept=intercept,
    )  # fmt: skip
    for point in points:
        gradient = gradient_of(point, features, targets, loss, weights / weights.sum())
        after = prox_trace_norm(point.weights - gradient, point.penalty)
        assert point.residual <= 1e-6
        assert float((after - point.weights).norm()) <= 1e-5 * point.penalty


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
@pytest.mark.parametrize("loss", SOLVED_LOSSES)
def test_strength_one_is_the_null_model_and_the_least_that_is(head_norm, loss):
    features, targets = make_rows()
    null, near = solve(features, targets, head_norm, [1.0, 0.999], loss=loss, tolerance=1e-6)
    assert torch.count_nonzero(null.weights) == 0
    assert null.rank == 0
    assert near.rank >= 1
    weakest = solve(features, targets, head_norm, [0.01], loss=loss)[0]
    assert 0.0 < near.frobenius_norm < 0.02 * weakest.frobenius_norm


def test_lambda_max_is_the_dual_norm_of_the_gradient_at_zero():
    features, targets = make_rows(n_classes=4)
    shares = torch.nn.functional.one_hot(targets, 4).to(DOUBLE)
    gradient = features.numpy().T @ (0.25 - shares).numpy() / len(targets)
    problem = make_head_problem(features, targets, "log", 4)
    assert lambda_max(problem, "trace") == pytest.approx(np.linalg.norm(gradient, 2), rel=1e-9)
    assert lambda_max(problem, "frobenius") == pytest.approx(np.linalg.norm(gradient), rel=1e-9)


def test_with_an_intercept_the_null_model_predicts_the_shares_of_the_classes():
    features, targets = make_rows(n_classes=4)
    (null,) = solve(features, targets, "trace", [1.0], intercept=True)
    shares = torch.bincount(targets).to(DOUBLE) / len(targets)
    torch.testing.assert_close(null.intercept.softmax(dim=0), shares, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_the_strength_is_the_share_of_the_null_gradient_that_is_left(head_norm, n_classes):
    features, targets = make_rows(n_classes=n_classes)
    dual = HEAD_NORMS[head_norm].unsquared.dual
    points = solve(features, targets, head_norm, STRENGTHS, tolerance=1e-6)
    most = dual(gradient_of(points[0], features, targets))
    for point in points:
        left = dual(gradient_of(point, features, targets)) / most
        assert left == pytest.approx(point.strength, rel=1e-5)


def test_for_two_classes_both_norms_have_the_same_solution():
    features, targets = make_rows(n_classes=2)
    for trace, frobenius in zip(
        solve(features, targets, "trace", STRENGTHS),
        solve(features, targets, "frobenius", STRENGTHS),
        strict=True,
    ):
        torch.testing.assert_close(trace.weights, frobenius.weights, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_the_scale_of_the_features_and_the_number_of_rows_change_no_strength(head_norm):
    features, targets = make_rows()
    points = solve(features, targets, head_norm, STRENGTHS, tolerance=1e-7)
    larger = solve(
        10.0 * features.repeat(3, 1), targets.repeat(3), head_norm, STRENGTHS, tolerance=1e-7
    )
    for point, other in zip(points, larger, strict=True):
        torch.testing.assert_close(10.0 * other.weights, point.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_the_head_grows_and_the_loss_falls_along_the_path(head_norm):
    features, targets = make_rows(n_classes=6, n_samples=200)
    points = solve(features, targets, head_norm, STRENGTHS, tolerance=1e-5)
    norms = [point.trace_norm if head_norm == "trace" else point.frobenius_norm for point in points]
    assert norms == sorted(norms)
    assert [p.loss for p in points] == sorted((p.loss for p in points), reverse=True)
    for point in points[1:]:
        assert float(trace_norm(point.weights)) == pytest.approx(point.trace_norm, rel=1e-6)


def test_ranks_fall_with_the_strength_of_the_trace_norm():
    features, targets = make_rows(n_classes=6, n_samples=200)
    ranks = [p.rank for p in solve(features, targets, "trace", STRENGTHS, tolerance=1e-4)]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0
    assert 1 <= ranks[1] < ranks[-1] == 5
    assert all(
        np.linalg.matrix_rank(point.weights.numpy(), tol=1e-9) == rank
        for point, rank in zip(
            solve(features, targets, "trace", STRENGTHS, tolerance=1e-4), ranks, strict=True
        )
    )


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
@pytest.mark.parametrize("intercept", [False, True])
def test_a_weight_of_two_is_a_row_twice(head_norm, intercept):
    features, targets = make_rows()
    counts = torch.arange(len(targets)) % 3
    options = {"tolerance": 1e-7, "intercept": intercept}
    weighted = solve(
        features, targets, head_norm, STRENGTHS, sample_weights=counts.to(DOUBLE), **options
    )
    repeated = solve(
        features.repeat_interleave(counts, dim=0), targets.repeat_interleave(counts), head_norm,
        STRENGTHS, **options,
    )  # fmt: skip
    for one, other in zip(weighted, repeated, strict=True):
        torch.testing.assert_close(one.weights, other.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_a_warm_start_changes_nothing(head_norm):
    features, targets = make_rows(n_classes=4)
    warm = solve(features, targets, head_norm, STRENGTHS, tolerance=1e-7)[-1]
    (cold,) = solve(features, targets, head_norm, STRENGTHS[-1:], tolerance=1e-7)
    torch.testing.assert_close(warm.weights, cold.weights, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_separable_classes_have_a_finite_head(head_norm):
    features, targets = make_rows(n_samples=30, width=40, noise=0.0)
    *_, last = solve(features.float(), targets, head_norm, [1.0, 0.1, 1e-3], tolerance=1e-2)
    assert torch.isfinite(last.weights).all()
    assert last.residual <= 1e-2
    assert ((features @ last.weights).argmax(dim=1) == targets).all()


@pytest.mark.parametrize("head_norm", SOLVED_NORMS)
def test_the_same_rows_give_the_same_bits(head_norm):
    features, targets = make_rows()
    first = solve(features.float(), targets, head_norm, STRENGTHS, tolerance=1e-2)
    again = solve(features.float(), targets, head_norm, STRENGTHS, tolerance=1e-2)
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one.weights, other.weights)


def test_single_precision_is_as_good_to_its_tolerance():
    features, targets = make_rows(n_samples=400)
    exact = solve(features, targets, "frobenius", STRENGTHS)
    single = solve(features.float(), targets, "frobenius", STRENGTHS, tolerance=1e-2)
    for one, other in zip(single, exact, strict=True):
        assert float((one.weights - other.weights).norm()) <= 0.03 * other.frobenius_norm


def test_a_norm_of_ones_own_is_a_row(monkeypatch):
    # Three times the Frobenius norm: the same solution at the same strength.
    _, prox, symbol, _, frobenius = HEAD_NORMS["frobenius"]
    own = UnsquaredNorm(
        rounded=lambda weights, radius: tuple(3.0 * x for x in frobenius.rounded(weights, radius)),
        dual=lambda gradient: frobenius.dual(gradient) / 3.0,
        penalty=lambda threshold, weights: threshold,
    )
    row = HeadNorm(lambda weights: 3.0 * weights.norm(), prox, symbol, unsquared=own)
    monkeypatch.setitem(HEAD_NORMS, "own", row)
    features, targets = make_rows()
    for point, peer in zip(
        solve(features, targets, "own", STRENGTHS),
        solve(features, targets, "frobenius", STRENGTHS),
        strict=True,
    ):
        torch.testing.assert_close(point.weights, peer.weights, rtol=1e-6, atol=1e-8)
        assert point.penalty == pytest.approx(peer.threshold / 3.0, rel=1e-9)


def test_a_norm_without_its_unsquared_form_cannot_be_solved(monkeypatch):
    monkeypatch.setitem(HEAD_NORMS, "own", HEAD_NORMS["trace"]._replace(unsquared=None))
    features, targets = make_rows()
    with pytest.raises(ValueError, match=r"'own'.*'unsquared'.*refit_head=False"):
        solve(features, targets, "own", STRENGTHS)
