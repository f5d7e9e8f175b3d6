"""The model f(x) = Wᵀ φ(x), and its features and outputs for any number of rows.

Rows are taken in blocks that stay in cache. Blocks bound memory as well: n rows never need n × D
numbers at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from askl.spectral.features import (
    Layer,
    compute_angles,
    features_of_angles,
    outputs_of_angles,
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
