"""The feature map φ: from inputs to angles, from angles to features, its gradient, and stacks.

One formula covers the stationary and the non-stationary map of the paper::

    φ(x) = sqrt(2 / D) · mean over branches j of cos(Ω_jᵀ x + b_j)

One branch is Bochner's stationary map, two are Yaglom's non-stationary map (equation 6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from askl.spectral.activations import ACTIVATIONS


class Layer(NamedTuple):
    """The parameters of one spectral map.

    Attributes
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    phases : Tensor of shape (n_branches, n_components)
    activation : str
        A key of :data:`ACTIVATIONS`.
    n_whole : int, optional
        If these are only some of the components of a larger map, the number that it has.

    Examples
    --------
    >>> import torch
    >>> layer = Layer(torch.zeros(2, 3, 4), torch.zeros(2, 4), "paired")
    >>> layer.width, layer.scale
    (8, 0.25)
    """

    frequencies: Tensor
    phases: Tensor
    activation: str = "cosine"
    n_whole: int | None = None

    @property
    def width(self) -> int:
        """Number of features."""
        return ACTIVATIONS[self.activation].width * self.frequencies.shape[2]

    @property
    def scale(self) -> float:
        """The constant in front of the sum over branches."""
        n_branches, _, n_components = self.frequencies.shape
        n_features = ACTIVATIONS[self.activation].width * (self.n_whole or n_components)
        return math.sqrt(2.0 / n_features) / n_branches

    @property
    def gradient_scale(self) -> float:
        """The constant in front of the gradient of the angles."""
        return ACTIVATIONS[self.activation].sign * self.scale


def compute_angles(inputs: Tensor, layer: Layer, *, out: Tensor | None = None) -> Tensor:
    """Compute Ω_jᵀ x + b_j for all branches in one batched product.

    Returns
    -------
    Tensor of shape (n_branches, n_samples, n_components)
    """
    batched = inputs.expand(layer.frequencies.shape[0], *inputs.shape)
    return torch.baddbmm(layer.phases[:, None, :], batched, layer.frequencies, out=out)


def features_of_angles(angles: Tensor, layer: Layer, *, out: Tensor | None = None) -> Tensor:
    """Compute features from angles: the activation, summed over branches and scaled.

    Returns
    -------
    Tensor of shape (n_samples, width)
    """
    if out is None:
        out = angles.new_empty(angles.shape[1], layer.width)
    return ACTIVATIONS[layer.activation].value(angles, out).mul_(layer.scale)


def outputs_of_angles(angles: Tensor, layer: Layer, weights: Tensor, *, out: Tensor) -> Tensor:
    """Compute outputs Wᵀφ from angles, which are overwritten: for prediction only.

    Returns
    -------
    Tensor of shape (n_samples, n_outputs)
    """
    overwrite = ACTIVATIONS[layer.activation].overwrite
    if overwrite is None:
        return torch.mm(features_of_angles(angles, layer), weights, out=out)
    total, *others = overwrite(angles)
    for branch in others:
        total.add_(branch)
    # Transposed, because products with few columns are slow and those with few rows are not.
    return torch.mul(torch.mm(weights.t(), total.t()).t(), layer.scale, out=out)


def pull_back(angles: Tensor, layer: Layer, gradient: Tensor) -> Tensor:
    """Overwrite angles with their gradient, divided by ``layer.gradient_scale``.

    The products that follow multiply by this factor, at no cost.
    """
    return ACTIVATIONS[layer.activation].pullback(angles, gradient)


def frequency_gradient(
    inputs: Tensor,
    angle_gradient: Tensor,
    layer: Layer,
    *,
    out: Tensor | None = None,
    accumulate: bool = False,
) -> Tensor:
    """Compute the gradient of the frequencies: Σ_i x_i [D W ∂ℓ/∂f]ᵀ, equation 9 of the paper.

    It is written to ``out``, or added to it with ``accumulate``.

    Returns
    -------
    Tensor of shape (n_branches, n_features, n_components)
    """
    out = torch.empty_like(layer.frequencies) if out is None else out
    batched = inputs.t().expand(layer.frequencies.shape[0], *inputs.t().shape)
    return torch.baddbmm(
        out,
        batched,
        angle_gradient,
        beta=float(accumulate),
        alpha=layer.gradient_scale,
        out=out,
    )


def input_gradient(angle_gradient: Tensor, layer: Layer, *, n_inputs: int | None = None) -> Tensor:
    """Compute the gradient of the first ``n_inputs`` inputs, by default of all.

    Returns
    -------
    Tensor of shape (n_samples, n_inputs)
    """
    frequencies = layer.frequencies[:, :n_inputs].transpose(1, 2)
    # A loop over branches is faster than a batched product and a sum: often there is one branch.
    total, *others = map(torch.mm, angle_gradient, frequencies)
    for branch in others:
        total.add_(branch)
    return total.mul_(layer.gradient_scale)


class SpectralMap(torch.autograd.Function):
    """The feature map as one differentiable operation, with the closed-form gradient.

    Differentiable once, with respect to inputs and frequencies; phases stay as drawn.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    phases : Tensor of shape (n_branches, n_components)
    activation : str
        A key of :data:`ACTIVATIONS`. All four go to ``SpectralMap.apply``, in this order.

    Examples
    --------
    >>> import torch
    >>> frequencies = torch.zeros(1, 2, 3, requires_grad=True)
    >>> mapped = SpectralMap.apply(torch.ones(1, 2), frequencies, torch.ones(1, 3), "cosine")
    >>> mapped.sum().backward()
    >>> frequencies.grad.shape
    torch.Size([1, 2, 3])
    """

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, frequencies: Tensor, phases: Tensor, activation: str
    ) -> Tensor:
        """Compute features, and keep the angles for the backward pass.

        Parameters
        ----------
        ctx : object
            Where torch keeps what the backward pass needs.
        inputs : Tensor of shape (n_samples, n_features)
        frequencies : Tensor of shape (n_branches, n_features, n_components)
        phases : Tensor of shape (n_branches, n_components)
        activation : str
            A key of :data:`ACTIVATIONS`.

        Returns
        -------
        Tensor of shape (n_samples, width)
        """
        layer = Layer(frequencies, phases, activation)
        angles = compute_angles(inputs, layer)
        ctx.save_for_backward(inputs, frequencies, phases, angles)
        ctx.activation = activation
        return features_of_angles(angles, layer)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Compute the gradients of inputs and frequencies from that of the features.

        Parameters
        ----------
        ctx : object
            What :meth:`forward` kept.
        *gradients : Tensor of shape (n_samples, width)
            A single one: the gradient of the features.

        Returns
        -------
        tuple of Tensor or None
            Gradients of inputs and frequencies if they are needed; None for everything else.
        """
        inputs, frequencies, phases, angles = ctx.saved_tensors
        layer = Layer(frequencies, phases, ctx.activation)
        angle_gradient = pull_back(angles.clone(), layer, gradients[0])
        to_inputs = input_gradient(angle_gradient, layer) if ctx.needs_input_grad[0] else None
        to_frequencies = (
            frequency_gradient(inputs, angle_gradient, layer) if ctx.needs_input_grad[1] else None
        )
        return to_inputs, to_frequencies, None, None


def features(inputs: Tensor, layer: Layer) -> Tensor:
    """Map inputs to spectral features φ(x) (equation 6), differentiably.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    layer : Layer
        Frequencies, phases and the name of the activation. ``"cosine"`` is φ of the paper,
        ``"paired"`` its exact sine-cosine map ψ (phases are then usually zero), ``"relu"`` and
        ``"sigmoid"`` the maps that its conclusion names.

    Returns
    -------
    Tensor of shape (n_samples, width), of norm at most 1 for ``"cosine"`` in expectation and
    always for ``"paired"``.

    Examples
    --------
    >>> import torch
    >>> layer = Layer(torch.zeros(2, 3, 4), torch.zeros(2, 4))
    >>> features(torch.ones(1, 3), layer)
    tensor([[0.7071, 0.7071, 0.7071, 0.7071]])
    """
    result: Tensor = SpectralMap.apply(  # type: ignore[no-untyped-call]
        inputs, layer.frequencies, layer.phases, layer.activation
    )
    return result


def unit_variance(layer: Layer) -> float:
    """Return the factor that scales the features of a hidden layer to about unit variance."""
    # NOTE[DIFF]: the paper stacks the maps without a factor. The features of a wide layer are then
    # so small that the next layer is nearly linear.
    return math.sqrt(layer.width)


def stacked_features(inputs: Tensor, layers: Sequence[Layer], *, skip: bool = False) -> Tensor:
    """Map inputs to φ^l(… φ^1(x)), the deep spectral kernel of the paper's conclusion.

    Hidden features are scaled to unit variance, so that a frequency scale has the same meaning in
    every layer.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    layers : sequence of Layer
    skip : bool
        Whether each layer after the first also takes the inputs: [φ(x), x].

    Returns
    -------
    Tensor of shape (n_samples, width of the last layer)

    Examples
    --------
    >>> import torch
    >>> first, second = Layer(torch.ones(1, 2, 3), torch.zeros(1, 3)), Layer(
    ...     torch.ones(1, 3, 5), torch.zeros(1, 5))
    >>> stacked_features(torch.ones(4, 2), [first, second]).shape
    torch.Size([4, 5])
    """
    hidden = inputs
    for layer in layers[:-1]:
        hidden = features(hidden, layer) * unit_variance(layer)
        if skip:
            hidden = torch.cat([hidden, inputs], dim=1)
    return features(hidden, layers[-1])
