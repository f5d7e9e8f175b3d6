"""The model f(x) = Wᵀ φ(x): outputs forward, the closed-form gradient of the paper backward.

Rows are taken in blocks that stay in cache. Blocks bound memory as well: a batch of all n rows
never holds n × D numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.batches import ALL_ROWS, Batch, Shard
from askl.learning.dropout import Dropout
from askl.learning.objective import AddUp, Objective, smooth_terms
from askl.spectral.features import (
    Layer,
    compute_angles,
    features_of_angles,
    frequency_gradient,
    input_gradient,
    outputs_of_angles,
    pull_back,
    unit_variance,
)

# Angles of one block, in numbers: 1 MB of float32, half of a common level-2 cache.
CACHED_ANGLES = 2**18


class Model(NamedTuple):
    """The trainable state: one or more spectral layers and a linear head.

    Attributes
    ----------
    layers : tuple of Layer
        After the first, each layer sees the hidden features and the inputs side by side.
    weights : Tensor of shape (width of the last layer, n_outputs)

    Examples
    --------
    >>> import torch
    >>> from askl.learning import Model
    >>> from askl.spectral import Layer
    >>> model = Model((Layer(torch.zeros(1, 2, 3), torch.zeros(1, 3)),), torch.zeros(3, 1))
    >>> list(model.tensors())
    ['frequencies.0', 'weights']
    """

    layers: tuple[Layer, ...]
    weights: Tensor

    def copy(self) -> Model:
        """Copy all tensors, so that training does not touch the original.

        Returns
        -------
        Model
        """
        layers = tuple(
            layer._replace(frequencies=layer.frequencies.clone()) for layer in self.layers
        )
        return Model(layers, self.weights.clone())

    def is_finite(self) -> bool:
        """Say whether every number of the model is finite.

        Returns
        -------
        bool
        """
        return all(bool(tensor.isfinite().all()) for tensor in self.tensors().values())

    def tensors(self) -> dict[str, Tensor]:
        """Return what training moves, by name: each layer's frequencies, and the weights.

        Returns
        -------
        dict of str to Tensor
        """
        layers = {f"frequencies.{depth}": x.frequencies for depth, x in enumerate(self.layers)}
        return {**layers, "weights": self.weights}

    def copy_from(self, other: Model) -> None:
        """Overwrite this model's numbers in place.

        Parameters
        ----------
        other : Model
            Of the same shapes.
        """
        for name, tensor in other.tensors().items():
            self.tensors()[name].copy_(tensor)


class Workspace:
    """Buffers kept between steps: fresh memory costs as much as the arithmetic."""

    def __init__(self) -> None:
        self._buffers: dict[object, Tensor] = {}
        # Of a buffer for each shape it was asked for: to make a view costs as much as small sums.
        self._views: dict[object, dict[tuple[int, ...], Tensor]] = {}

    def take(self, key: object, like: Tensor, *shape: int) -> Tensor:
        """Return a buffer of the shape, reusing the memory of earlier calls with the same key."""
        views = self._views.setdefault(key, {})
        if shape not in views:
            size = math.prod(shape)
            buffer = self._buffers.get(key)
            if buffer is None or buffer.numel() < size:
                buffer = self._buffers[key] = like.new_empty(size)
                views.clear()
            views[shape] = buffer[:size].view(shape)
        return views[shape]


def block_rows(layers: tuple[Layer, ...]) -> int:
    """Choose how many rows to process at a time.

    Few enough for the angles to stay in cache, but several times the inputs' width, since
    each block adds to a gradient of that width.
    """
    rows = 0
    for layer in layers:
        n_branches, n_features, n_components = layer.frequencies.shape
        cached = CACHED_ANGLES // (n_branches * n_components)
        rows = max(rows, cached, 4 * n_features)
    return max(rows, 16)


class Trace(NamedTuple):
    """What the way back needs of a layer: its inputs, its angles and its dropout mask."""

    inputs: Tensor
    angles: Tensor
    mask: Tensor | None


def _forward(
    inputs: Tensor,
    layers: tuple[Layer, ...],
    workspace: Workspace,
    draw_mask: Callable[[Layer], Tensor] | None = None,
) -> tuple[Tensor, list[Trace]]:
    """Compute features, and keep the traces for the way back."""
    tape: list[Trace] = []
    hidden = inputs
    for depth, layer in enumerate(layers):
        n_branches, _, n_components = layer.frequencies.shape
        shape = (n_branches, len(inputs), n_components)
        angles = compute_angles(
            hidden, layer, out=workspace.take(("angles", depth), inputs, *shape)
        )
        out = workspace.take(("features", depth), inputs, len(inputs), layer.width)
        features = features_of_angles(angles, layer, out=out)
        mask = None
        if draw_mask is not None:
            mask = draw_mask(layer)
            features.mul_(mask)
        tape.append(Trace(hidden, angles, mask))
        if depth + 1 < len(layers):
            hidden = _pass_on(features, layers[: depth + 1], inputs, workspace)
    return features, tape


def _pass_on(
    features: Tensor, below: tuple[Layer, ...], inputs: Tensor, workspace: Workspace
) -> Tensor:
    """Make the next layer's inputs: features at unit variance, beside the inputs themselves."""
    # NOTE[DIFF]: the paper stacks φ(φ(x)); passing the inputs on, φ([φ(x), x]), keeps
    # low-order structure within reach of every layer.
    n_samples, width = features.shape
    hidden = workspace.take(("hidden", len(below)), inputs, n_samples, width + inputs.shape[1])
    torch.mul(features, unit_variance(below[-1]), out=hidden[:, :width])
    hidden[:, width:] = inputs
    return hidden


class Gradients(NamedTuple):
    """Smooth part of the objective on a batch, and its gradients.

    ``loss`` and ``feature_norm`` are weighted means; ``frequencies`` has one entry a layer, or
    none at all where frequencies are assigned.
    """

    loss: Tensor
    feature_norm: Tensor
    frequencies: list[Tensor]
    weights: Tensor


def compute_gradients(
    model: Model,
    objective: Objective,
    batch: Batch,
    workspace: Workspace,
    *,
    learn_frequencies: bool = True,
    dropout: Dropout | None = None,
    shard: Shard = ALL_ROWS,
    add_up: AddUp | None = None,
) -> Gradients:
    """Compute the gradient of the smooth part by the closed form of the paper.

    With G = ∂ℓ/∂f over a batch of m samples (equations 6 and 8)::

        ∇W   = φ(X)ᵀ G / m
        ∇φ   = (G Wᵀ + 2 λ₂ φ(X)) / m
        ∇Ω_j = -sqrt(2/D) / branches · Xᵀ (sin(X Ω_j + b_j) ∘ ∇φ)

    Of every block only the shard's rows are taken; what all shards return adds up to the
    gradient. Where the model holds some components only, ``add_up`` adds the outputs and
    feature norms of the others. The returned tensors are buffers of the workspace, valid until its
    next use.
    """
    layers, weights = model
    n_samples = len(batch.inputs)
    # Products of few columns are slow. A head has few; its transpose has few rows, and is not.
    to_rows = workspace.take("to_rows", weights, *weights.t().shape)
    to_frequencies = [
        workspace.take(("to_frequencies", depth), weights, *layer.frequencies.shape)
        for depth, layer in enumerate(layers if learn_frequencies else ())
    ]
    sums: list[tuple[Tensor, Tensor]] = []
    for start, block in batch.blocks(block_rows(layers)):
        later, n_rows = start > 0, len(block.inputs)
        part = shard.part(n_rows)
        draw_mask = dropout and partial(dropout.mask, n_rows=n_rows, part=part)
        if shard.size > 1:
            block = block.part(part)
        features, tape = _forward(block.inputs, layers, workspace, draw_mask)
        outputs = torch.mm(weights.t(), features.t()).t()
        terms = smooth_terms(
            objective, features, outputs, block.targets, block.sample_weights, add_up
        )
        sums.append((terms.loss_sum, terms.feature_norm_sum))
        output_gradients = terms.output_gradients.div_(n_samples)
        torch.addmm(to_rows, output_gradients.t(), features, beta=float(later), out=to_rows)
        if learn_frequencies:
            # G Wᵀ + 2 λ₂ φ, written over the features, which are not needed again.
            penalty = 2.0 * objective.feature_penalty / n_samples
            if block.sample_weights is not None and penalty:
                features.mul_(block.sample_weights[:, None])
            gradient = features.addmm_(output_gradients, weights.t(), beta=penalty)
            _backward(gradient, layers, tape, to_frequencies, accumulate=later)
    to_weights = workspace.take("to_weights", weights, *weights.shape).copy_(to_rows.t())
    loss_sum, feature_norm_sum = (sum(parts[1:], parts[0]) for parts in zip(*sums, strict=True))
    return Gradients(loss_sum / n_samples, feature_norm_sum / n_samples, to_frequencies, to_weights)


def _backward(
    gradient: Tensor,
    layers: tuple[Layer, ...],
    tape: list[Trace],
    to_frequencies: list[Tensor],
    *,
    accumulate: bool,
) -> None:
    """Pull a gradient of the last features back through the stack."""
    for depth in reversed(range(len(layers))):
        layer, (inputs, angles, mask) = layers[depth], tape[depth]
        if mask is not None:
            gradient.mul_(mask)
        angle_gradient = pull_back(angles, layer, gradient)
        frequency_gradient(
            inputs, angle_gradient, layer, out=to_frequencies[depth], accumulate=accumulate
        )
        if depth > 0:
            below = layers[depth - 1]
            gradient = input_gradient(angle_gradient, layer, n_inputs=below.width)
            gradient.mul_(unit_variance(below))


@torch.no_grad()
def compute_features(
    inputs: Tensor, layers: tuple[Layer, ...], *, workspace: Workspace | None = None
) -> Tensor:
    """Compute φ(x) for all rows at once.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    layers : tuple of Layer
    workspace : Workspace, optional
        Memory to use again, from call to call.

    Returns
    -------
    Tensor of shape (n_samples, width of the last layer)

    Examples
    --------
    >>> import torch
    >>> from askl.spectral import Layer
    >>> layers = (Layer(torch.zeros(1, 2, 4), torch.zeros(1, 4)),)
    >>> compute_features(torch.ones(1, 2), layers)
    tensor([[0.7071, 0.7071, 0.7071, 0.7071]])
    """
    workspace = Workspace() if workspace is None else workspace
    result = inputs.new_empty(len(inputs), layers[-1].width)
    for rows, out in zip(
        inputs.split(block_rows(layers)), result.split(block_rows(layers)), strict=True
    ):
        out.copy_(_forward(rows, layers, workspace)[0])
    return result


@torch.no_grad()
def compute_outputs(inputs: Tensor, model: Model, *, workspace: Workspace | None = None) -> Tensor:
    """Compute f(x) = Wᵀ φ(x) block by block, never holding all features.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    model : Model
    workspace : Workspace, optional
        Memory to use again, from call to call.

    Returns
    -------
    Tensor of shape (n_samples, n_outputs)

    Examples
    --------
    >>> import torch
    >>> from askl.spectral import Layer
    >>> model = Model((Layer(torch.zeros(1, 2, 4), torch.zeros(1, 4)),), torch.ones(4, 1))
    >>> compute_outputs(torch.ones(1, 2), model)
    tensor([[2.8284]])
    """
    workspace = Workspace() if workspace is None else workspace
    result = inputs.new_empty(len(inputs), model.weights.shape[1])
    rows = block_rows(model.layers)
    *below, last = model.layers
    n_branches, _, n_components = last.frequencies.shape
    for block, out in zip(inputs.split(rows), result.split(rows), strict=True):
        hidden = block
        if below:
            features, _ = _forward(block, tuple(below), workspace)
            hidden = _pass_on(features, tuple(below), block, workspace)
        buffer = workspace.take("angles", inputs, n_branches, len(block), n_components)
        angles = compute_angles(hidden, last, out=buffer)
        outputs_of_angles(angles, last, model.weights, out=out)
    return result


@torch.no_grad()
def mean_squared_input_gradient(inputs: Tensor, model: Model) -> Tensor:
    """Compute the mean over samples of Σ_k (∂f_k/∂x_i)², one number for each input i.

    Closed form: the pullback of each column of W in turn.

    Returns
    -------
    Tensor of shape (n_features,)
    """
    layers, weights = model
    total = inputs.new_zeros(inputs.shape[1])
    workspace = Workspace()
    for block in inputs.split(block_rows(layers)):
        _, tape = _forward(block, layers, workspace)
        for column in weights.t():
            total += _jacobian_row(column, layers, tape, len(block)).square().sum(dim=0)
    return total / len(inputs)


def _jacobian_row(
    column: Tensor, layers: tuple[Layer, ...], tape: list[Trace], n_samples: int
) -> Tensor:
    """Gradient of one output with respect to the inputs, for every sample of a block."""
    gradient = column.expand(n_samples, -1)
    direct = column.new_zeros(())
    for depth in reversed(range(len(layers))):
        angle_gradient = pull_back(tape[depth].angles.clone(), layers[depth], gradient)
        gradient = input_gradient(angle_gradient, layers[depth])
        if depth > 0:
            below = layers[depth - 1]
            gradient, skipped = gradient[:, : below.width], gradient[:, below.width :]
            gradient = gradient * unit_variance(below)
            direct = direct + skipped
    return gradient + direct
