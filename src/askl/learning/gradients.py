"""The closed-form gradient of the paper, computed over blocks of rows."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.batch import ALL_ROWS, Batch, Shard
from askl.learning.dropout import Dropout
from askl.learning.model import Model, Trace, Workspace, choose_block_rows, forward
from askl.learning.objective import AllReduce, Objective, smooth_terms
from askl.spectral.features import (
    Layer,
    frequency_gradient,
    input_gradient,
    pull_back,
    unit_variance,
)


class Gradients(NamedTuple):
    """The smooth part of the objective on a batch, and its gradients.

    ``loss`` and ``feature_norm`` are weighted means. ``frequencies`` has one entry for each layer,
    or none if frequencies are not learned.
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
    all_reduce: AllReduce | None = None,
    block_rows: int | None = None,
) -> Gradients:
    """Compute the gradient of the smooth part by the closed form of the paper.

    With G = ∂ℓ/∂f over a batch of m samples (equations 6 and 8)::

        ∇W   = φ(X)ᵀ G / m
        ∇φ   = (G Wᵀ + 2 λ₂ φ(X)) / m
        ∇Ω_j = -sqrt(2/D) / branches · Xᵀ (sin(X Ω_j + b_j) ∘ ∇φ)

    Parameters
    ----------
    model : Model
    objective : Objective
    batch : Batch
    workspace : Workspace
        The returned tensors are buffers of it, valid until its next use.
    learn_frequencies : bool, default=True
        Whether to compute the gradients of the frequencies.
    dropout : Dropout, optional
    shard : Shard
        Only its rows of each block are used. The gradients of all shards add up to that of the
        batch.
    all_reduce : callable, optional
        If the model has only some of the components, adds outputs and feature norms of the others.
    block_rows : int, optional
        Rows to process at a time. By default as many as stay in cache.

    Returns
    -------
    Gradients
    """
    layers, weights = model
    n_samples = len(batch.inputs)
    # Products with few columns are slow, those with few rows are not: the head is transposed.
    to_rows = workspace.take("to_rows", weights, *weights.t().shape)
    to_frequencies = [
        workspace.take(("to_frequencies", depth), weights, *layer.frequencies.shape)
        for depth, layer in enumerate(layers if learn_frequencies else ())
    ]
    sums: list[tuple[Tensor, Tensor]] = []
    for start, block in batch.blocks(block_rows or choose_block_rows(layers)):
        later, n_rows = start > 0, len(block.inputs)
        part = shard.part(n_rows)
        draw_mask = dropout and partial(dropout.mask, n_rows=n_rows, part=part)
        if shard.size > 1:
            block = block.part(part)
        features, tape = forward(block.inputs, layers, workspace, draw_mask)
        outputs = torch.mm(weights.t(), features.t()).t()
        terms = smooth_terms(
            objective, features, outputs, block.targets, block.sample_weights, all_reduce
        )
        sums.append((terms.loss_sum, terms.feature_norm_sum))
        output_gradients = terms.output_gradients.div_(n_samples)
        torch.addmm(to_rows, output_gradients.t(), features, beta=float(later), out=to_rows)
        if learn_frequencies:
            penalty = 2.0 * objective.feature_penalty / n_samples
            if block.sample_weights is not None and penalty:
                features.mul_(block.sample_weights[:, None])
            # The features are not needed any more: G Wᵀ + 2 λ₂ φ overwrites them.
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
    """Compute the gradients of all frequencies from the gradient of the last features."""
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
def mean_squared_input_gradient(
    inputs: Tensor, model: Model, *, block_rows: int | None = None
) -> Tensor:
    """Compute the mean over samples of Σ_k (∂f_k/∂x_i)², one number for each input i.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    model : Model
    block_rows : int, optional
        Rows to process at a time. By default as many as stay in cache.

    Returns
    -------
    Tensor of shape (n_features,)
    """
    layers, weights = model
    total = inputs.new_zeros(inputs.shape[1])
    workspace = Workspace()
    for block in inputs.split(block_rows or choose_block_rows(layers)):
        _, tape = forward(block, layers, workspace)
        for column in weights.t():
            total += _jacobian_row(column, layers, tape, len(block)).square().sum(dim=0)
    return total / len(inputs)


def _jacobian_row(
    column: Tensor, layers: tuple[Layer, ...], tape: list[Trace], n_samples: int
) -> Tensor:
    """Compute the gradient of one output with respect to the inputs, for each sample."""
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
