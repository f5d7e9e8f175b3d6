"""The model f(x) = Wᵀ φ(x), and its features and outputs for any number of rows.

Rows are processed in blocks that stay in cache. Blocks also limit memory: for outputs, n rows
never need n × D numbers at once.
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

# How many angles one block may have: 1 MB of float32, half of a common level-2 cache.
CACHED_ANGLES = 2**18


class Model(NamedTuple):
    """What is trained: one or more spectral layers and a linear head.

    Attributes
    ----------
    layers : tuple of Layer
        Each layer after the first takes the features of the one below it and the inputs.
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
        """Copy all tensors that training changes.

        Returns
        -------
        Model
        """
        layers = tuple(
            layer._replace(frequencies=layer.frequencies.clone()) for layer in self.layers
        )
        return Model(layers, self.weights.clone())

    def is_finite(self) -> bool:
        """Return True if every number of the model is finite.

        Returns
        -------
        bool
        """
        return all(bool(tensor.isfinite().all()) for tensor in self.tensors().values())

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors that training changes, by name; they are not copied.

        Returns
        -------
        dict of str to Tensor
        """
        layers = {f"frequencies.{depth}": x.frequencies for depth, x in enumerate(self.layers)}
        return {**layers, "weights": self.weights}

    def copy_from(self, other: Model) -> None:
        """Overwrite the numbers of this model in place with those of another.

        Parameters
        ----------
        other : Model
            Its tensors must have the same shapes.
        """
        self.restore(other.tensors())

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Overwrite the numbers of this model in place.

        Parameters
        ----------
        tensors : dict of str to Tensor
            As :meth:`tensors` returns them.
        """
        for name, tensor in self.tensors().items():
            tensor.copy_(tensors[name])


class Workspace:
    """Buffers that are used again in each step: new memory costs as much as the arithmetic."""

    def __init__(self) -> None:
        self._buffers: dict[object, Tensor] = {}
        # For each buffer, its views by shape: making a view costs as much as a small product.
        self._views: dict[object, dict[tuple[int, ...], Tensor]] = {}

    def take(self, key: object, like: Tensor, *shape: int) -> Tensor:
        """Return a buffer of a shape. Calls with the same key return the same memory."""
        views = self._views.setdefault(key, {})
        if shape not in views:
            size = math.prod(shape)
            buffer = self._buffers.get(key)
            if buffer is None or buffer.numel() < size:
                buffer = self._buffers[key] = like.new_empty(size)
                views.clear()
            views[shape] = buffer[:size].view(shape)
        return views[shape]


def choose_block_rows(layers: tuple[Layer, ...], cached_angles: int = CACHED_ANGLES) -> int:
    """Choose how many rows to process at a time.

    Few enough for their angles to stay in cache. But several times the number of inputs, since
    each block adds to a gradient that has a row for each input.
    """
    rows = 0
    for layer in layers:
        n_branches, n_features, n_components = layer.frequencies.shape
        cached = cached_angles // (n_branches * n_components)
        rows = max(rows, cached, 4 * n_features)
    return max(rows, 16)


class Trace(NamedTuple):
    """What the backward pass needs of a layer: its inputs, its angles and its dropout mask."""

    inputs: Tensor
    angles: Tensor
    mask: Tensor | None


def forward(
    inputs: Tensor,
    layers: tuple[Layer, ...],
    workspace: Workspace,
    draw_mask: Callable[[Layer], Tensor] | None = None,
) -> tuple[Tensor, list[Trace]]:
    """Compute the features of some rows, and what the backward pass needs of each layer."""
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
            hidden = _next_inputs(features, layers[: depth + 1], inputs, workspace)
    return features, tape


def _next_inputs(
    features: Tensor, below: tuple[Layer, ...], inputs: Tensor, workspace: Workspace
) -> Tensor:
    """Return the inputs of the next layer: features of unit variance, and the inputs again."""
    # NOTE[DIFF]: the paper stacks φ(φ(x)). With φ([φ(x), x]) every layer can also use
    # interactions of few inputs.
    n_samples, width = features.shape
    hidden = workspace.take(("hidden", len(below)), inputs, n_samples, width + inputs.shape[1])
    torch.mul(features, unit_variance(below[-1]), out=hidden[:, :width])
    hidden[:, width:] = inputs
    return hidden


@torch.no_grad()
def compute_features(
    inputs: Tensor,
    layers: tuple[Layer, ...],
    *,
    workspace: Workspace | None = None,
    block_rows: int | None = None,
) -> Tensor:
    """Compute φ(x) for all rows at once.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    layers : tuple of Layer
    workspace : Workspace, optional
        Memory to use again, from call to call.
    block_rows : int, optional
        Rows to process at a time. By default as many as stay in cache.

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
    n_rows = block_rows or choose_block_rows(layers)
    for block, out in zip(inputs.split(n_rows), result.split(n_rows), strict=True):
        out.copy_(forward(block, layers, workspace)[0])
    return result


@torch.no_grad()
def compute_outputs(
    inputs: Tensor,
    model: Model,
    *,
    workspace: Workspace | None = None,
    block_rows: int | None = None,
) -> Tensor:
    """Compute f(x) = Wᵀ φ(x) for all rows, without holding all features at once.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    model : Model
    workspace : Workspace, optional
        Memory to use again, from call to call.
    block_rows : int, optional
        Rows to process at a time. By default as many as stay in cache.

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
    n_rows = block_rows or choose_block_rows(model.layers)
    *below, last = model.layers
    n_branches, _, n_components = last.frequencies.shape
    for block, out in zip(inputs.split(n_rows), result.split(n_rows), strict=True):
        hidden = block
        if below:
            features, _ = forward(block, tuple(below), workspace)
            hidden = _next_inputs(features, tuple(below), block, workspace)
        buffer = workspace.take("angles", inputs, n_branches, len(block), n_components)
        angles = compute_angles(hidden, last, out=buffer)
        outputs_of_angles(angles, last, model.weights, out=out)
    return result
