from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from askl.learning import TensorRows, compute_features
from askl.learning.heads.exact_head import NORMAL_90, STRENGTHS, solve_exact_head
from askl.learning.sources import Split
from tests.learning.problem import N_SAMPLES, make_problem, whole


def make_split(rows, n_held_out=12):
    order = torch.arange(N_SAMPLES)
    return Split(rows.subset(order[n_held_out:]), rows.subset(order[:n_held_out]))


def ridge(model, batch, strength):
    features = compute_features(batch.inputs, model.layers).numpy()
    solver = Ridge(alpha=strength * len(features), fit_intercept=False, solver="svd")
    return solver.fit(features, batch.targets.numpy()).coef_.T


def test_a_given_strength_solves_all_rows(generator):
    rows, model = make_problem()
    head = solve_exact_head(model, Split(rows, None), 1e-2)
    assert head.strength == 1e-2
    np.testing.assert_allclose(model.weights, ridge(model, whole(rows), 1e-2), rtol=1e-7)
    features = compute_features(whole(rows).inputs, model.layers)
    gram = features.t() @ features + N_SAMPLES * 1e-2 * torch.eye(features.shape[1])
    torch.testing.assert_close(head.factor @ head.factor.t(), gram)
    residuals = (features @ model.weights - rows.targets).abs()
    assert ((residuals <= NORMAL_90 * head.noise).double().mean(dim=0) - 0.9).abs().max() < 0.03


def test_held_out_rows_choose_the_strength_and_then_join_the_others():
    rows, model = make_problem()
    split = make_split(rows)
    inner, outer = (next(part.blocks(N_SAMPLES)) for part in (split.train, split.held_out))
    features = compute_features(outer.inputs, model.layers).numpy()
    errors = [
        np.square(features @ ridge(model, inner, strength) - outer.targets.numpy()).sum()
        for strength in STRENGTHS
    ]
    model.weights.fill_(100.0)
    head = solve_exact_head(model, split, None)
    assert head.strength == STRENGTHS[int(np.argmin(errors))]
    # So weak a ridge is nearly singular: two exact solutions agree to fewer digits.
    expected = ridge(model, whole(rows), head.strength)
    np.testing.assert_allclose(model.weights, expected, rtol=1e-3, atol=1e-4)


def test_a_trained_head_that_is_better_is_kept():
    rows, model = make_problem()
    model.weights.copy_(torch.from_numpy(ridge(model, whole(rows), 1e-6)))
    before = model.weights.clone()
    head = solve_exact_head(model, make_split(rows), None, strengths=[1e6])
    assert head.strength is None
    assert torch.equal(model.weights, before)


def test_the_noise_of_held_out_rows_excludes_the_variance_of_the_head():
    rows, model = make_problem()
    split = make_split(rows)
    head = solve_exact_head(model, split, 1e-3)
    inner, outer = (next(part.blocks(N_SAMPLES)) for part in (split.train, split.held_out))
    train, held_out = (
        compute_features(batch.inputs, model.layers).numpy() for batch in (inner, outer)
    )
    inverse = np.linalg.inv(train.T @ train + len(train) * 1e-3 * np.eye(train.shape[1]))
    leverages = np.einsum("ij,jk,ik->i", held_out, inverse, held_out)
    residuals = np.abs(held_out @ ridge(model, inner, 1e-3) - outer.targets.numpy())
    expected = np.quantile(residuals / np.sqrt(1.0 + leverages)[:, None], 0.9, axis=0) / NORMAL_90
    np.testing.assert_allclose(head.noise, expected, rtol=1e-6)


@pytest.mark.parametrize("strength", [None, 1e-3])
def test_the_size_of_the_blocks_does_not_matter(strength):
    heads, weights = [], []
    for block_rows in (7, 4096):
        rows, model = make_problem()
        heads.append(solve_exact_head(model, make_split(rows), strength, block_rows=block_rows))
        weights.append(model.weights)
    assert heads[0].strength == heads[1].strength
    torch.testing.assert_close(heads[0].noise, heads[1].noise, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(weights[0], weights[1], rtol=1e-3, atol=1e-4)


def test_choosing_without_held_out_rows_is_an_error():
    rows, model = make_problem()
    with pytest.raises(ValueError, match="needs held-out rows"):
        solve_exact_head(model, Split(rows, None), None)


def test_weights_are_repetition():
    rows, model = make_problem()
    repeats = torch.arange(N_SAMPLES) % 3
    batch = whole(rows)
    weights = repeats.double() / repeats.double().mean()
    weighted = Split(TensorRows(batch.inputs, batch.targets, weights), None)
    solve_exact_head(model, weighted, 1e-2)
    index = torch.repeat_interleave(torch.arange(N_SAMPLES), repeats)
    np.testing.assert_allclose(model.weights, ridge(model, rows.rows(index), 1e-2), rtol=1e-6)
