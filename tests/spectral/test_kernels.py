from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from askl.spectral import (
    Layer,
    draw_frequencies,
    draw_phases,
    features,
    kernel_diagonal,
    kernel_matrix,
    monte_carlo_kernel,
    monte_carlo_kernel_diagonal,
)
from tests import naive


@pytest.fixture
def points(generator):
    return torch.randn(6, 3, generator=generator, dtype=torch.float64)


def draw(n_components, generator, *, n_branches=2, scale=0.7):
    drawn = draw_frequencies(
        3, n_components, n_branches=n_branches, scale=scale, generator=generator
    )
    return drawn.double()


def paired(inputs, frequencies):
    phases = torch.zeros(frequencies.shape[0], frequencies.shape[2], dtype=frequencies.dtype)
    return features(inputs, Layer(frequencies, phases, "paired"))


@pytest.mark.parametrize("n_branches", [1, 2, 3])
def test_the_gram_matrix_of_psi_is_the_monte_carlo_kernel(n_branches, points, generator):
    frequencies = draw(200, generator, n_branches=n_branches)
    psi = paired(points, frequencies)
    closed = monte_carlo_kernel(points, points[:4], frequencies)
    torch.testing.assert_close(kernel_matrix(psi, psi[:4]), closed, rtol=0, atol=1e-12)
    single = paired(points.float(), frequencies.float())
    torch.testing.assert_close(
        kernel_matrix(single, single[:4]).double(), closed, rtol=0, atol=1e-6
    )


@pytest.mark.parametrize(
    ("n_branches", "kernel"), [(1, naive.bochner_kernel), (2, naive.yaglom_kernel)]
)
def test_the_monte_carlo_kernel_equals_a_naive_loop(n_branches, kernel, points, generator):
    frequencies = draw(7, generator, n_branches=n_branches)
    closed = monte_carlo_kernel(points, points[:2], frequencies)
    x, omega = points.numpy(), frequencies.numpy()
    expected = [[kernel(x[i], x[j], omega) for j in range(2)] for i in range(6)]
    np.testing.assert_allclose(closed, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_branches", [1, 2, 3])
def test_the_diagonal_needs_no_matrix(n_branches, points, generator):
    frequencies = draw(50, generator, n_branches=n_branches)
    diagonal = monte_carlo_kernel_diagonal(points, frequencies)
    full = monte_carlo_kernel(points, points, frequencies).diagonal()
    torch.testing.assert_close(diagonal, full, rtol=0, atol=1e-12)
    torch.testing.assert_close(kernel_diagonal(paired(points, frequencies)), full)
    assert (diagonal >= 0.0).all()
    assert (diagonal <= 1.0 + 1e-12).all()
    assert (n_branches > 1) == bool((diagonal < 0.99).any())


def test_two_tied_branches_are_stationary(points, generator):
    one = draw(20, generator, n_branches=1)
    torch.testing.assert_close(
        monte_carlo_kernel(points, points, one.expand(2, -1, -1)),
        monte_carlo_kernel(points, points, one),
    )


def test_only_one_branch_is_shift_invariant(points, generator):
    shifted = points + 1.0
    one, two = draw(20, generator, n_branches=1), draw(20, generator)
    here, there = (monte_carlo_kernel(x, x, one) for x in (points, shifted))
    torch.testing.assert_close(here, there)
    here, there = (monte_carlo_kernel(x, x, two) for x in (points, shifted))
    assert (here - there).abs().max() > 0.05


def test_the_kernel_matrix_is_symmetric_and_positive(points, generator):
    matrix = kernel_matrix(paired(points, draw(20, generator)))
    # To the last digit or two: how a product rounds is the processor's affair.
    torch.testing.assert_close(matrix, matrix.t(), rtol=1e-14, atol=1e-15)
    assert torch.linalg.eigvalsh(matrix).min() > -1e-12


def test_gaussian_frequencies_give_the_gaussian_kernel(points, generator):
    n_components, scale = 40_000, 0.7
    drawn = draw(n_components, generator, n_branches=1, scale=scale)
    estimate = monte_carlo_kernel(points, points, drawn)
    exact = torch.exp(-0.5 * scale**2 * torch.cdist(points, points).square())
    # A cosine has variance below one half around its mean.
    assert (estimate - exact).abs().max() < 4.0 * math.sqrt(0.5 / n_components)


def cosine_kernel(points, frequencies, phases, generator):
    """⟨φ, φ⟩ with the components repeated under fresh phases: an average over phases."""
    drawn = draw_phases(frequencies.shape[2], phases=phases, generator=generator).double()
    return kernel_matrix(features(points, Layer(frequencies, drawn)))


def test_shared_phases_tend_to_the_kernel_of_psi_at_the_square_root_rate(points, generator):
    frequencies = draw(10, generator)
    exact = monte_carlo_kernel(points, points, frequencies)
    errors = []
    for repeats in (100, 10_000):
        repeated = frequencies.repeat(1, 1, repeats)
        estimate = cosine_kernel(points, repeated, "shared", generator)
        error = (estimate - exact).abs().max()
        # Around its mean, one component's 2 φ(x) φ(z) is a cosine of the phase: variance ½.
        assert error < 4.0 * math.sqrt(0.5 / (10 * repeats))
        errors.append(error)
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.8)


def test_independent_phases_tend_to_half_a_stationary_kernel(points, generator):
    frequencies, repeats = draw(10, generator), 10_000
    first, second = (monte_carlo_kernel(points, points, branch[None]) for branch in frequencies)
    stationary = (first + second) / 4.0
    repeated = frequencies.repeat(1, 1, repeats)
    estimate = cosine_kernel(points, repeated, "independent", generator)
    band = 4.0 * math.sqrt(0.5 / (10 * repeats))
    assert (estimate - stationary).abs().max() < band
    torch.testing.assert_close(stationary.diagonal(), torch.full((6,), 0.5, dtype=torch.float64))
    non_stationary = monte_carlo_kernel(points, points, frequencies)
    assert (estimate - non_stationary).abs().max() > 10.0 * band
