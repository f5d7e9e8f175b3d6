from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from askl.learning import Batch, NormalEquations, choose_head, compute_features
from askl.learning.heads.ridge import leverages
from askl.spectral import Layer

DOUBLE = torch.float64


@pytest.fixture
def layers(generator):
    frequencies = torch.randn(2, 3, 8, generator=generator, dtype=DOUBLE)
    return (Layer(frequencies, torch.rand(2, 8, generator=generator, dtype=DOUBLE)),)


def make_batch(generator, n_samples=50, weighted=False):
    inputs = torch.randn(n_samples, 3, generator=generator, dtype=DOUBLE)
    noise = torch.randn(n_samples, 2, generator=generator, dtype=DOUBLE)
    weights = torch.rand(n_samples, generator=generator, dtype=DOUBLE) if weighted else None
    return Batch(inputs, inputs[:, :2].sin() + 0.5 * noise, weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strength", [1e-6, 1e-2, 10.0])
def test_the_solution_is_ridge_regression(weighted, strength, layers, generator):
    batch = make_batch(generator, weighted=weighted)
    total = 50.0 if not weighted else float(batch.sample_weights.sum())
    ridge = Ridge(alpha=strength * total, fit_intercept=False, solver="svd").fit(
        compute_features(batch.inputs, layers).numpy(),
        batch.targets.numpy(),
        None if not weighted else batch.sample_weights.numpy(),
    )
    solved = NormalEquations(layers).add([batch]).solve(strength)
    np.testing.assert_allclose(solved, ridge.coef_.T, rtol=1e-7, atol=1e-9)


def test_the_batches_do_not_matter(layers, generator):
    batch = make_batch(generator, weighted=True)
    whole = NormalEquations(layers).add([batch])
    parts = NormalEquations(layers)
    for _, block in batch.blocks(7):
        parts.add([block])
    torch.testing.assert_close(parts.solve(1e-3), whole.solve(1e-3))


def test_single_precision_features_are_summed_in_double(layers, generator):
    single = (Layer(layers[0].frequencies.float(), layers[0].phases.float()),)
    batch = make_batch(generator)
    rounded = Batch(batch.inputs.float(), batch.targets.float())
    solved = NormalEquations(single).add([rounded]).solve(1e-3)
    assert solved.dtype == DOUBLE
    expected = NormalEquations(layers).add([batch]).solve(1e-3)
    torch.testing.assert_close(solved, expected, rtol=1e-3, atol=1e-4)


def test_a_singular_gram_matrix_is_solved_too(generator):
    # Twice the same frequency: the Gram matrix has rank one, and no strength helps it.
    layer = Layer(torch.ones(1, 3, 2, dtype=DOUBLE), torch.zeros(1, 2, dtype=DOUBLE))
    batch = make_batch(generator)
    solved = NormalEquations((layer,)).add([batch]).solve(0.0)
    features = compute_features(batch.inputs, (layer,)).numpy()
    best, *_ = np.linalg.lstsq(features, batch.targets.numpy(), rcond=1e-8)
    np.testing.assert_allclose(features @ solved.numpy(), features @ best, atol=1e-6)


def test_no_samples_is_an_error(layers):
    with pytest.raises(ValueError, match="no samples"):
        NormalEquations(layers).solve(1.0)


def test_features_that_are_not_finite_are_an_error(layers, generator):
    broken = (layers[0]._replace(frequencies=torch.full((2, 3, 8), torch.nan, dtype=DOUBLE)),)
    equations = NormalEquations(broken).add([make_batch(generator)])
    with pytest.raises(ValueError, match=r"NaN.*learning rates"):
        equations.solve(1.0)


def held_out_errors(heads, batch, layers):
    features = compute_features(batch.inputs, layers)
    weights = 1.0 if batch.sample_weights is None else batch.sample_weights[:, None]
    return [float((weights * (features @ head - batch.targets).square()).sum()) for head in heads]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_strength_with_the_least_held_out_error_is_chosen(weighted, layers, generator):
    equations = NormalEquations(layers).add([make_batch(generator, 20)])
    held_out = make_batch(generator, weighted=weighted)
    strengths = [10.0**power for power in range(-6, 2)]
    current = torch.full((8, 2), 100.0, dtype=DOUBLE)
    errors = held_out_errors([equations.solve(s) for s in strengths], held_out, layers)
    chosen = choose_head(equations, [held_out], strengths, current)
    assert chosen == (strengths[int(np.argmin(errors))], False)
    assert 0 < int(np.argmin(errors)) < len(strengths) - 1, "neither end: the choice is a choice"
    blocks = [block for _, block in held_out.blocks(9)]
    assert choose_head(equations, blocks, strengths, current) == chosen


def test_a_current_head_that_is_better_is_kept(layers, generator):
    equations = NormalEquations(layers).add([make_batch(generator, 20)])
    held_out = make_batch(generator)
    best = NormalEquations(layers).add([held_out]).solve(0.0)
    choice = choose_head(equations, [held_out], [1e-3, 1.0], best)
    assert choice.keep_current
    assert choice.strength in (1e-3, 1.0)


def test_leverages_are_the_diagonal_of_the_hat_matrix(layers, generator):
    batch, strength = make_batch(generator), 1e-2
    features = compute_features(batch.inputs, layers).numpy()
    inverse = np.linalg.inv(features.T @ features + 50 * strength * np.eye(8))
    factor = NormalEquations(layers).add([batch]).factor(strength)
    computed = leverages(torch.from_numpy(features), factor)
    np.testing.assert_allclose(computed, np.diag(features @ inverse @ features.T), rtol=1e-9)
