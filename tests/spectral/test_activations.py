from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from askl.spectral import (
    ACTIVATIONS,
    Activation,
    Layer,
    draw_phases,
    features,
    kernel_matrix,
    monte_carlo_kernel,
)

DOUBLE = torch.float64


def draw_angles(generator, n_branches=2):
    return 4.0 * torch.randn(n_branches, 6, 5, generator=generator, dtype=DOUBLE)


@pytest.mark.parametrize("n_branches", [1, 3])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_pullback_is_the_gradient_of_the_value(name, n_branches, generator):
    row, angles = ACTIVATIONS[name], draw_angles(generator, n_branches).requires_grad_()
    upstream = torch.randn(6, 5 * row.width, generator=generator, dtype=DOUBLE)
    shift = 1e-6 * torch.randn(angles.shape, generator=generator, dtype=DOUBLE)

    def weighted_value(at):
        value = row.value(at, torch.empty(6, 5 * row.width, dtype=DOUBLE))
        return float((value * upstream).sum())

    with torch.no_grad():
        change = weighted_value(angles + shift) - weighted_value(angles - shift)
        gradient = row.sign * row.pullback(angles.clone(), upstream)
    assert change == pytest.approx(2.0 * float((gradient * shift).sum()), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_value_sums_the_branches_and_leaves_the_angles_alone(name, generator):
    row, angles = ACTIVATIONS[name], draw_angles(generator)
    before, out = angles.clone(), torch.empty(6, 5 * row.width, dtype=DOUBLE)
    assert row.value(angles, out) is out
    assert torch.equal(angles, before)
    parts = [row.value(branch[None], torch.empty_like(out)) for branch in angles]
    torch.testing.assert_close(out, sum(parts))


@pytest.mark.parametrize("name", [name for name, row in ACTIVATIONS.items() if row.overwrite])
def test_overwriting_gives_the_values_of_each_branch(name, generator):
    row, angles = ACTIVATIONS[name], draw_angles(generator)
    total = row.value(angles, torch.empty(6, 5 * row.width, dtype=DOUBLE))
    overwritten = row.overwrite(angles)
    assert overwritten.data_ptr() == angles.data_ptr()
    torch.testing.assert_close(overwritten.sum(dim=0), total)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_periodic_rows_and_no_others_have_the_period_of_the_circle(name, generator):
    row, angles = ACTIVATIONS[name], draw_angles(generator)
    here, there = (
        row.value(at, torch.empty(6, 5 * row.width, dtype=DOUBLE))
        for at in (angles, angles + 2.0 * math.pi)
    )
    assert torch.allclose(here, there) == row.periodic


@given(st.lists(st.floats(-50.0, 50.0, width=32), min_size=6, max_size=6))
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_no_features_are_longer_than_the_row_says(name, numbers):
    angles = torch.tensor(numbers, dtype=DOUBLE)
    layer = Layer(angles.view(2, 1, 3), torch.zeros(2, 3, dtype=DOUBLE), name)
    squared = float(features(torch.ones(1, 1, dtype=DOUBLE), layer).square().sum())
    assert squared <= ACTIVATIONS[name].largest_squared_norm * (1.0 + 1e-12)


@pytest.mark.parametrize(("name", "angle"), [("cosine", 0.0), ("paired", 1.0), ("sigmoid", 1e3)])
def test_the_largest_norm_is_reached(name, angle):
    layer = Layer(torch.zeros(2, 1, 3), torch.full((2, 3), angle), name)
    squared = float(features(torch.zeros(1, 1), layer).square().sum())
    assert squared == pytest.approx(ACTIVATIONS[name].largest_squared_norm)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_only_rows_that_say_so_sample_the_kernel(name, generator):
    repeats, points = 10_000, torch.randn(4, 3, generator=generator, dtype=DOUBLE)
    frequencies = torch.randn(2, 3, 5, generator=generator, dtype=DOUBLE)
    exact = monte_carlo_kernel(points, points, frequencies)
    drawn = draw_phases(5 * repeats, generator=generator).double()
    mapped = features(points, Layer(frequencies.repeat(1, 1, repeats), drawn, name))
    error = (kernel_matrix(mapped) - exact).abs().max()
    assert (error < 4.0 * math.sqrt(0.5 / (5 * repeats))) == ACTIVATIONS[name].samples_kernel


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_row_names_no_onnx_operators_or_one_for_each_feature(name):
    row = ACTIVATIONS[name]
    assert len(row.onnx_operators) in {0, row.width}


def test_a_new_row_of_the_table_is_an_activation(monkeypatch, generator):
    def value(angles, out):
        return torch.sum(angles**2, dim=0, out=out)

    def pullback(angles, gradient):
        return angles.mul_(2.0).mul_(gradient)

    monkeypatch.setitem(ACTIVATIONS, "square", Activation(value, pullback))
    drawn = torch.randn(2, 3, 4, generator=generator, dtype=DOUBLE)
    layer = Layer(drawn, torch.ones(2, 4, dtype=DOUBLE), "square")
    inputs = torch.randn(5, 3, generator=generator, dtype=DOUBLE, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: features(x, layer), (inputs,))
