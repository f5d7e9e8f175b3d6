from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import gaussian_kde

from askl.spectral import draw_frequencies
from askl.spectral.learned_density import (
    along,
    distance_moved,
    effective_frequencies,
    frequency_shares,
    joint_density,
    marginal_density,
    off_diagonal_share,
    principal_directions,
)

DOUBLE = torch.float64
GRID = torch.linspace(-6.0, 6.0, 241, dtype=DOUBLE)
FIRST = torch.tensor([1.0, 0.0, 0.0], dtype=DOUBLE)


@pytest.fixture
def frequencies(generator):
    return draw_frequencies(3, 200, generator=generator).double()


@pytest.fixture
def shares(generator):
    drawn = torch.rand(200, generator=generator, dtype=DOUBLE)
    return drawn / drawn.sum()


def test_shares_are_row_norms(generator):
    weights = torch.randn(5, 3, generator=generator, dtype=DOUBLE)
    norms = np.linalg.norm(weights.numpy(), axis=1)
    np.testing.assert_allclose(frequency_shares(weights, 5), norms / norms.sum())


def test_the_two_rows_of_a_paired_frequency_count_together(generator):
    weights = torch.randn(10, 3, generator=generator, dtype=DOUBLE)
    norms = [float(torch.cat([weights[j], weights[j + 5]]).norm()) for j in range(5)]
    np.testing.assert_allclose(frequency_shares(weights, 5), np.array(norms) / sum(norms))


def test_a_head_of_zeros_gives_equal_shares():
    assert frequency_shares(torch.zeros(4, 2), 4).tolist() == [0.25] * 4


def test_effective_frequencies_run_from_one_to_all():
    assert effective_frequencies(torch.full((8,), 1 / 8)) == pytest.approx(8.0)
    assert effective_frequencies(torch.tensor([1.0, 0.0, 0.0])) == pytest.approx(1.0)


def test_distances_are_per_frequency(frequencies):
    moved = frequencies + torch.tensor([3.0, 0.0, 4.0])[None, :, None]
    torch.testing.assert_close(
        distance_moved(frequencies, moved), torch.full((2, 200), 5.0, dtype=DOUBLE)
    )


def test_principal_directions_are_orthonormal_and_the_first_is_the_largest(generator, shares):
    frequencies = torch.randn(2, 3, 200, generator=generator, dtype=DOUBLE)
    frequencies[:, 1] *= 10.0
    directions = principal_directions(frequencies, shares)
    torch.testing.assert_close(directions.t() @ directions, torch.eye(3, dtype=DOUBLE))
    assert directions[1, 0].abs() > 0.99
    spreads = [(along(frequencies, d).square() @ shares).sum() for d in directions.t()]
    assert spreads[0] >= spreads[1] >= spreads[2]


def test_the_marginal_density_is_a_weighted_kernel_density_estimate(frequencies, shares):
    density = marginal_density(frequencies, shares, FIRST, GRID)
    points = frequencies[:, 0].reshape(-1).numpy()
    reference = gaussian_kde(points, weights=np.tile(shares.numpy(), 2))
    # scipy's deviation has the correction of a sample.
    np.testing.assert_allclose(density, reference(GRID.numpy()), rtol=0.02, atol=1e-4)
    assert float(torch.trapezoid(density, GRID)) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("n_branches", [1, 2])
def test_the_joint_density_is_a_symmetric_density(n_branches, generator, shares):
    frequencies = draw_frequencies(3, 200, n_branches=n_branches, generator=generator).double()
    surface = joint_density(frequencies, shares, FIRST, GRID)
    torch.testing.assert_close(surface, surface.t())
    assert (surface >= 0.0).all()
    total = torch.trapezoid(torch.trapezoid(surface, GRID), GRID)
    assert float(total) == pytest.approx(1.0, abs=1e-3)


def test_the_joint_density_has_four_bumps_for_each_pair():
    pair, one = torch.tensor([[[-2.0]], [[3.0]]], dtype=DOUBLE), torch.ones(1, dtype=DOUBLE)
    grid = np.linspace(-14, 16, 301)
    surface = joint_density(pair, one, one, torch.from_numpy(grid))
    # Scott's bandwidth: the deviation of -2 and 3, times 2 to the power of -1 / (2 + 4).
    width = 2.5 * 2.0 ** (-1.0 / 6.0)
    bump = {p: np.exp(-0.5 * ((grid - p) / width) ** 2) for p in (-2.0, 3.0)}
    places = [(-2.0, 3.0), (3.0, -2.0), (-2.0, -2.0), (3.0, 3.0)]
    expected = sum(np.outer(bump[a], bump[b]) for a, b in places) / (4.0 * 2.0 * np.pi * width**2)
    np.testing.assert_allclose(surface, expected, rtol=0, atol=1e-12)


def test_only_two_branches_have_mass_off_the_diagonal():
    pair = torch.tensor([[[-3.0]], [[3.0]]], dtype=DOUBLE)
    one, all_of_it = pair[:1], torch.ones(1, dtype=DOUBLE)
    assert off_diagonal_share(one, all_of_it) == 0.0
    assert off_diagonal_share(pair, all_of_it) == pytest.approx(0.5, abs=1e-6)
    assert off_diagonal_share(pair[:1].expand(2, -1, -1), all_of_it) == 0.0


def test_the_off_diagonal_share_is_an_expectation_over_normal_inputs(frequencies, shares):
    scaled = 0.5 * frequencies
    inputs = torch.randn(20_000, 3, generator=torch.Generator().manual_seed(1), dtype=DOUBLE)
    between = (inputs @ (scaled[0] - scaled[1])).cos().mean(dim=0)
    expected = 0.5 * float((shares * (1.0 - between)).sum())
    assert off_diagonal_share(scaled, shares) == pytest.approx(expected, abs=0.01)
