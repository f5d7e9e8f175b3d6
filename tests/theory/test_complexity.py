from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from askl.spectral import Layer, draw_frequencies, draw_phases, features
from askl.theory import closed_form_diagonal, rademacher_bound, signed_sums, spectral_share


def all_signed_sums(phi, n_outputs):
    """Every Φ_ε there is, one for each matrix of signs."""
    signs = itertools.product([-1.0, 1.0], repeat=len(phi) * n_outputs)
    matrices = np.array(list(signs)).reshape(-1, len(phi), n_outputs)
    return np.einsum("id,sik->sdk", phi, matrices)


def test_over_all_signs_the_share_gives_the_complexity_itself(rng):
    phi, head_norm = rng.normal(size=(3, 4)), 2.5
    sums = all_signed_sums(phi, 2)
    spectral = [np.linalg.svd(draw, compute_uv=False)[0] for draw in sums]
    complexity = head_norm / 3 * np.mean(spectral)
    share = spectral_share(torch.from_numpy(sums))
    bound = rademacher_bound(head_norm, float((phi**2).sum()), n_samples=3, n_outputs=2)
    assert share.value * bound == pytest.approx(complexity)


def test_the_spectral_norm_is_what_the_ball_of_the_trace_norm_reaches(rng):
    matrix = rng.normal(size=(5, 3))
    left, values, right = np.linalg.svd(matrix)
    best = np.outer(left[:, 0], right[0])  # of trace norm one
    assert np.sum(best * matrix) == pytest.approx(values[0])
    for _ in range(200):
        other = rng.normal(size=(5, 3))
        other /= np.linalg.svd(other, compute_uv=False).sum()
        assert np.sum(other * matrix) <= values[0]


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 9))
def test_the_share_never_passes_one(seed, n_samples, n_outputs, n_draws):
    generator = torch.Generator().manual_seed(seed)
    phi = torch.randn(n_samples, 3, generator=generator, dtype=torch.float64)
    sums = signed_sums(phi, n_outputs=n_outputs, n_draws=n_draws, generator=generator)
    value, error = spectral_share(sums)
    assert 0.0 < value <= 1.0
    assert error >= 0.0


def test_features_of_zero_have_no_complexity():
    assert spectral_share(torch.zeros(3, 4, 2)) == (0.0, 0.0)


def test_signed_sums_of_blocks_add_up_to_draws_of_the_right_moments(generator):
    phi = torch.randn(40, 6, generator=generator, dtype=torch.float64)
    sums = sum(
        signed_sums(block, n_outputs=3, n_draws=2000, generator=generator)
        for block in phi.split(15)
    )
    assert sums.shape == (2000, 6, 3)
    squares = float(sums.square().sum(dim=(1, 2)).mean())
    assert squares == pytest.approx(3 * float(phi.square().sum()), rel=0.05)
    assert float(sums.mean(dim=0).abs().max()) < 1.0


def test_the_standard_error_shrinks_with_the_root_of_the_draws(generator):
    phi = torch.randn(30, 5, generator=generator, dtype=torch.float64)
    few, many = (
        spectral_share(signed_sums(phi, n_outputs=2, n_draws=n, generator=generator))
        for n in (100, 6400)
    )
    assert many.error == pytest.approx(few.error / 8.0, rel=0.35)
    assert abs(many.value - few.value) < 4.0 * (few.error + many.error)


def make_layer(generator, *, n_components=30, n_branches=2, phases="shared", activation="paired"):
    drawn = draw_frequencies(3, n_components, n_branches=n_branches, generator=generator)
    shift = draw_phases(n_components, n_branches=n_branches, phases=phases, generator=generator)
    return Layer(drawn.double(), shift.double(), activation)


@pytest.mark.parametrize("phases", ["shared", "independent"])
@pytest.mark.parametrize("n_branches", [1, 2, 3])
def test_the_closed_form_is_the_squared_norm_of_psi(phases, n_branches, generator):
    layer = make_layer(generator, n_branches=n_branches, phases=phases)
    inputs = torch.randn(20, 3, generator=generator, dtype=torch.float64)
    squares = features(inputs, layer).square().sum(dim=1)
    torch.testing.assert_close(closed_form_diagonal(inputs, layer), squares, rtol=0, atol=1e-12)


def test_the_closed_form_is_the_formula_of_the_paper(generator):
    layer = make_layer(generator)
    x = torch.randn(1, 3, generator=generator, dtype=torch.float64)
    first, second = layer.frequencies.numpy()
    total = 0.0
    for j in range(30):
        total += 0.5 * (math.cos(float((first[:, j] - second[:, j]) @ x[0].numpy())) + 1.0)
    assert float(closed_form_diagonal(x, layer)) == pytest.approx(total / 30)


@pytest.mark.parametrize("phases", ["shared", "independent"])
def test_the_closed_form_is_what_phi_has_on_average_over_common_phases(phases, generator):
    layer = make_layer(generator, phases=phases, activation="cosine")
    inputs = torch.randn(4, 3, generator=generator, dtype=torch.float64)
    mean = torch.zeros(4, dtype=torch.float64)
    for shift in torch.linspace(0.0, 2.0 * math.pi, 9)[:-1]:
        mean += features(inputs, layer._replace(phases=layer.phases + shift)).square().sum(1) / 8
    torch.testing.assert_close(closed_form_diagonal(inputs, layer), mean, rtol=0, atol=1e-6)


def test_other_activations_have_no_closed_form(generator):
    layer = make_layer(generator, activation="relu")
    assert closed_form_diagonal(torch.zeros(2, 3).double(), layer).isnan().all()
