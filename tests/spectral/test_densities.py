from __future__ import annotations

import math

import pytest
import torch
from scipy import stats

from askl.spectral import (
    DENSITIES,
    Density,
    draw_frequencies,
    draw_phases,
    natural_scale,
    sparse_multiscale,
)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("n_features", [1, 2, 7])
def test_a_density_draws_finite_frequencies_of_the_right_shape(density, n_features, generator):
    drawn = draw_frequencies(n_features, 50, density=density, generator=generator)
    assert drawn.shape == (2, n_features, 50)
    assert drawn.is_contiguous()
    assert drawn.isfinite().all()
    assert (drawn != 0).any(dim=1).all(), "every frequency acts on some input"
    assert 0.0 < natural_scale(density, n_features) < math.inf


@pytest.mark.parametrize("density", DENSITIES)
def test_the_generator_decides_and_the_scale_multiplies(density):
    def draw(seed, scale):
        generator = torch.Generator().manual_seed(seed)
        return draw_frequencies(3, 20, density=density, scale=scale, generator=generator)

    assert torch.equal(draw(1, 1.0), draw(1, 1.0))
    assert not torch.equal(draw(1, 1.0), draw(2, 1.0))
    torch.testing.assert_close(draw(1, 2.5), 2.5 * draw(1, 1.0))


def test_drawing_leaves_the_global_generator_alone(generator):
    before = torch.get_rng_state()
    draw_frequencies(3, 20, density="sparse", generator=generator)
    draw_phases(20, generator=generator)
    assert torch.equal(torch.get_rng_state(), before)


def test_gaussian_frequencies_are_normal_and_branches_independent(generator):
    drawn = draw_frequencies(2, 10_000, scale=3.0, generator=generator)
    assert stats.kstest(drawn.flatten().numpy() / 3.0, "norm").pvalue > 1e-3
    correlation = torch.corrcoef(drawn[:, 0])[0, 1]
    assert abs(correlation) < 4.0 / math.sqrt(10_000)


def test_sparse_frequencies_act_on_one_to_three_inputs_equally_often(generator):
    n_draws = 20_000
    active = sparse_multiscale(5, n_draws, generator) != 0
    counts = torch.bincount(active.sum(dim=0), minlength=6).tolist()
    assert stats.chisquare(counts[1:4]).pvalue > 1e-3
    assert counts[0] == counts[4] == counts[5] == 0
    assert stats.chisquare(active.sum(dim=1).tolist()).pvalue > 1e-3


def test_sparse_frequencies_have_log_normal_scales(generator):
    lone = sparse_multiscale(1, 20_000, generator, spread=0.7)[0].double()
    # log|exp(s Z) N| = s Z + log|N|, where log|N| has variance π²/8.
    variance = lone.abs().log().var()
    assert variance == pytest.approx(0.7**2 + math.pi**2 / 8.0, rel=0.05)


def test_natural_scale_of_the_gaussian_is_the_gamma_scale_of_rbf_sampler():
    # RBFSampler draws at sqrt(2 gamma), and gamma="scale" is 1 / (d · variance).
    assert natural_scale("gaussian", 8) == pytest.approx(math.sqrt(2.0 / 8))


def test_a_new_row_of_the_table_can_be_drawn_from(monkeypatch, generator):
    def ones(n_features, n_draws, generator):
        return torch.ones(n_features, n_draws)

    monkeypatch.setitem(DENSITIES, "ones", Density(ones, lambda n_features: 2.0))
    drawn = draw_frequencies(2, 3, density="ones", scale=4.0, generator=generator)
    assert torch.equal(drawn, torch.full((2, 2, 3), 4.0))
    assert natural_scale("ones", 2) == 2.0


def test_phases_are_uniform_on_the_circle(generator):
    phases = draw_phases(20_000, n_branches=1, generator=generator)
    assert phases.shape == (1, 20_000)
    assert stats.kstest(phases[0].numpy() / (2.0 * math.pi), "uniform").pvalue > 1e-3


def test_centred_phases_are_shifted_by_pi():
    generators = [torch.Generator().manual_seed(3) for _ in range(2)]
    plain = draw_phases(50, generator=generators[0])
    centred = draw_phases(50, centred=True, generator=generators[1])
    torch.testing.assert_close(centred, plain - math.pi)
    assert -math.pi <= centred.min() < 0.0 < centred.max() <= math.pi


def test_phases_are_shared_unless_asked_otherwise(generator):
    shared = draw_phases(10, generator=generator)
    apart = draw_phases(10, phases="independent", generator=generator)
    assert shared.shape == apart.shape == (2, 10)
    assert torch.equal(shared[0], shared[1])
    assert (apart[0] != apart[1]).all()
