from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.kernel_approximation import RBFSampler

from askl.spectral import ACTIVATIONS, Layer, SpectralMap, features, stacked_features
from tests import naive


def make_layer(generator, n_features, n_components, activation="cosine", *, n_branches=2):
    options = {"generator": generator, "dtype": torch.float64}
    frequencies = torch.randn(n_branches, n_features, n_components, **options)
    return Layer(frequencies, 6.0 * torch.rand(n_branches, n_components, **options), activation)


def make_inputs(generator, n_samples=5, n_features=3):
    return torch.randn(n_samples, n_features, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("activation", naive.ACTIVATIONS)
@pytest.mark.parametrize("n_branches", [1, 2, 3])
def test_features_equal_a_naive_loop(activation, n_branches, generator):
    layer = make_layer(generator, 3, 4, activation, n_branches=n_branches)
    inputs = make_inputs(generator)
    expected = naive.features(inputs, layer.frequencies, layer.phases, activation)
    assert expected.shape[1] == layer.width
    np.testing.assert_allclose(features(inputs, layer), expected, rtol=1e-12, atol=1e-14)


def test_one_cosine_branch_is_rbf_sampler(generator):
    layer, inputs = make_layer(generator, 3, 50, n_branches=1), make_inputs(generator)
    sampler = RBFSampler(n_components=50).fit(inputs.numpy())
    sampler.random_weights_ = layer.frequencies[0].numpy()
    sampler.random_offset_ = layer.phases[0].numpy()
    expected = sampler.transform(inputs.numpy())
    np.testing.assert_allclose(features(inputs, layer), expected, rtol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_two_tied_branches_are_one(activation, generator):
    inputs = make_inputs(generator)
    one = make_layer(generator, 3, 6, activation, n_branches=1)
    two = Layer(one.frequencies.expand(2, -1, -1), one.phases.expand(2, -1), activation)
    torch.testing.assert_close(features(inputs, two), features(inputs, one))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_branches", [1, 2])
def test_the_closed_form_gradient_passes_gradcheck(activation, n_branches, generator):
    layer = make_layer(generator, 3, 4, activation, n_branches=n_branches)
    inputs = make_inputs(generator).requires_grad_()
    frequencies = layer.frequencies.requires_grad_()
    assert torch.autograd.gradcheck(
        lambda x, w: SpectralMap.apply(x, w, layer.phases, activation), (inputs, frequencies)
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_each_gradient_is_the_same_when_computed_alone(activation, generator):
    layer, inputs = make_layer(generator, 3, 4, activation), make_inputs(generator)
    x, w = inputs.clone().requires_grad_(), layer.frequencies.clone().requires_grad_()
    both = torch.autograd.grad(features(x, layer._replace(frequencies=w)).sin().sum(), (x, w))
    (only_x,) = torch.autograd.grad(features(x, layer).sin().sum(), x)
    alone = features(inputs, layer._replace(frequencies=w)).sin().sum()
    (only_w,) = torch.autograd.grad(alone, w)
    assert torch.equal(only_x, both[0])
    assert torch.equal(only_w, both[1])


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_stacks_pass_gradcheck(skip, activation, generator):
    first = make_layer(generator, 2, 3, activation)
    width = first.width + 2 * skip
    second = make_layer(generator, width, 2, activation)
    third = make_layer(generator, second.width + 2 * skip, 2)
    inputs = make_inputs(generator, 4, 2).requires_grad_()

    def stack(x, *frequencies):
        layers = [
            layer._replace(frequencies=w)
            for layer, w in zip((first, second, third), frequencies, strict=True)
        ]
        return stacked_features(x, layers, skip=skip)

    leaves = [layer.frequencies.requires_grad_() for layer in (first, second, third)]
    assert torch.autograd.gradcheck(stack, (inputs, *leaves))


@pytest.mark.parametrize("skip", [False, True])
def test_stacks_equal_plain_torch(skip, generator):
    first = make_layer(generator, 3, 5, "paired")
    second = make_layer(generator, 10 + 3 * skip, 4, "sigmoid")
    inputs = make_inputs(generator)
    mapped = stacked_features(inputs, [first, second], skip=skip)
    torch.testing.assert_close(
        mapped, naive.plain_features(inputs, [first, second], skip=skip), rtol=1e-12, atol=1e-14
    )


def test_one_layer_is_a_stack_of_one(generator):
    layer, inputs = make_layer(generator, 3, 4), make_inputs(generator)
    assert torch.equal(stacked_features(inputs, [layer]), features(inputs, layer))


def test_a_second_backward_pass_finds_the_angles_unchanged(generator):
    layer, inputs = make_layer(generator, 3, 4), make_inputs(generator).requires_grad_()
    total = features(inputs, layer).sum()
    (once,) = torch.autograd.grad(total, inputs, retain_graph=True)
    (again,) = torch.autograd.grad(total, inputs)
    assert torch.equal(once, again)


def test_second_derivatives_raise_an_error(generator):
    layer, inputs = make_layer(generator, 3, 4), make_inputs(generator).requires_grad_()
    (slope,) = torch.autograd.grad(
        features(inputs, layer).square().sum(), inputs, create_graph=True
    )
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_precision_follows_the_inputs(generator):
    layer = make_layer(generator, 3, 4)
    single = Layer(layer.frequencies.float(), layer.phases.float())
    inputs = make_inputs(generator)
    assert features(inputs, layer).dtype == torch.float64
    assert features(inputs.float(), single).dtype == torch.float32
    np.testing.assert_allclose(
        features(inputs.float(), single), features(inputs, layer), rtol=0, atol=1e-6
    )


frequency_arrays = arrays.arrays(
    np.float64, (2, 2, 5), elements=st.floats(-1e3, 1e3, allow_subnormal=False)
)
input_arrays = arrays.arrays(
    np.float64, (3, 2), elements=st.floats(-1e3, 1e3, allow_subnormal=False)
)


@given(frequency_arrays, input_arrays, st.floats(0.0, 2.0 * math.pi))
def test_features_are_bounded(frequencies, inputs, phase):
    drawn, x = torch.from_numpy(frequencies), torch.from_numpy(inputs)
    phases = torch.full((2, 5), phase, dtype=torch.float64)
    cosine = features(x, Layer(drawn, phases))
    assert cosine.abs().max() <= math.sqrt(2.0 / 5) * (1.0 + 1e-12)
    paired = features(x, Layer(drawn, phases, "paired"))
    assert paired.norm(dim=1).max() <= 1.0 + 1e-12
