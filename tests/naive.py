"""Slow, obvious oracles: loops over numbers, and plain torch where autograd is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from askl.learning import Batch, Model, Objective
from askl.learning.losses import SMOOTHING
from askl.spectral import Layer

# Activations that have an oracle here; "paired" is two graphs.
GRAPHS: dict[str, Callable[[float], float]] = {
    "cosine": math.cos,
    "relu": lambda angle: max(angle, 0.0),
    "sigmoid": lambda angle: 1.0 / (1.0 + math.exp(-angle)),
}


ACTIVATIONS = (*GRAPHS, "paired")


def features(inputs: Any, frequencies: Any, phases: Any, activation: str) -> np.ndarray:
    """φ(x) (or ψ(x) for "paired"), one number at a time."""
    n_branches, n_features, n_components = frequencies.shape
    paired = activation == "paired"
    graphs = [math.cos, math.sin] if paired else [GRAPHS[activation]]
    factor = math.sqrt((1.0 if paired else 2.0) / n_components) / n_branches
    result = np.zeros((len(inputs), len(graphs) * n_components))
    for row, x in enumerate(inputs):
        for part, graph in enumerate(graphs):
            for component in range(n_components):
                for branch in range(n_branches):
                    angle = float(phases[branch][component])
                    for i in range(n_features):
                        angle += float(frequencies[branch][i][component]) * float(x[i])
                    result[row, part * n_components + component] += factor * graph(angle)
    return result


def yaglom_kernel(x: Any, z: Any, frequencies: Any) -> float:
    """The Monte-Carlo kernel of the paper at one pair of points, with two branches."""
    total = 0.0
    for first, second in zip(frequencies[0].T, frequencies[1].T, strict=True):
        total += math.cos(first @ x - second @ z) + math.cos(second @ x - first @ z)
        total += math.cos(first @ x - first @ z) + math.cos(second @ x - second @ z)
    return total / (4.0 * frequencies.shape[2])


def bochner_kernel(x: Any, z: Any, frequencies: Any) -> float:
    """The stationary Monte-Carlo kernel at one pair of points."""
    return float(np.mean([math.cos(frequency @ (x - z)) for frequency in frequencies[0].T]))


def hinge_loss(outputs: Any, targets: Any) -> tuple[np.ndarray, np.ndarray]:
    """Multiclass hinge and the paper's subgradient: 0, or -1 at y and +1 at the runner-up."""
    values, gradients = np.zeros(len(outputs)), np.zeros(np.shape(outputs))
    for row, (f, y) in enumerate(zip(outputs, targets, strict=True)):
        rivals = [k for k in range(len(f)) if k != y]
        runner_up = max(rivals, key=lambda k: f[k])
        margin = f[y] - f[runner_up]
        if margin < 1.0:
            values[row] = 1.0 - margin
            gradients[row, y], gradients[row, runner_up] = -1.0, 1.0
    return values, gradients


def log_loss(outputs: Any, targets: Any) -> np.ndarray:
    """-log softmax(f)_y."""
    return np.array(
        [
            math.log(sum(math.exp(other - f[y]) for other in f))
            for f, y in zip(outputs, targets, strict=True)
        ]
    )


def prox_trace_norm(weights: Any, threshold: float) -> np.ndarray:
    """Singular value thresholding by its definition, in float64."""
    left, values, right = np.linalg.svd(np.asarray(weights, dtype=float), full_matrices=False)
    return (left * np.maximum(values - threshold, 0.0)) @ right


def quantile(column: Sequence[float], weights: Sequence[int], level: float) -> float:
    """The smallest value whose share of the weight reaches the level."""
    repeated = sorted(v for v, w in zip(column, weights, strict=True) for _ in range(w))
    for count, value in enumerate(repeated, start=1):
        if count / len(repeated) >= level - 1e-12:
            return value
    raise AssertionError("the last share is one")


def plain_features(
    inputs: Tensor,
    layers: Sequence[Layer],
    *,
    skip: bool = True,
    masks: Sequence[Tensor] | None = None,
) -> Tensor:
    """The stack of maps in plain torch operations, for autograd to differentiate."""
    graphs = {"cosine": torch.cos, "relu": torch.relu, "sigmoid": torch.sigmoid}
    hidden = inputs
    for depth, (frequencies, phases, activation, _) in enumerate(layers):
        n_branches, _, n_components = frequencies.shape
        angles = torch.einsum("nd,bdk->bnk", hidden, frequencies) + phases[:, None, :]
        if activation == "paired":
            parts = torch.cat([angles.cos().sum(0), angles.sin().sum(0)], dim=1)
            mapped = parts / n_branches / math.sqrt(n_components)
        else:
            mapped = math.sqrt(2.0 / n_components) * graphs[activation](angles).mean(0)
        if masks is not None:
            mapped = mapped * masks[depth]
        if depth + 1 < len(layers):
            unit = mapped * math.sqrt(mapped.shape[1])
            hidden = torch.cat([unit, inputs], dim=1) if skip else unit
    return mapped


def plain_hinge(outputs: Tensor, targets: Tensor) -> Tensor:
    """The multiclass hinge, for autograd to differentiate."""
    truth = torch.nn.functional.one_hot(targets, outputs.shape[1]).bool()
    rivals = outputs.masked_fill(truth, -torch.inf).amax(dim=1)
    return torch.relu(1.0 - outputs[truth] + rivals)


PLAIN_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "log": lambda f, y: torch.nn.functional.cross_entropy(f, y, reduction="none"),
    "smoothed_log": lambda f, y: torch.nn.functional.cross_entropy(
        f, y, reduction="none", label_smoothing=SMOOTHING
    ),
    "hinge": plain_hinge,
    "squared": lambda f, y: ((f - y) ** 2).sum(dim=1),
}


def smooth_objective(
    model: Model,
    objective: Objective,
    batch: Batch,
    loss: str = "squared",
    masks: Sequence[Tensor] | None = None,
) -> Tensor:
    """Mean loss plus λ₂ times the mean squared feature norm, in plain torch operations."""
    mapped = plain_features(batch.inputs, model.layers, masks=masks)
    weights = torch.ones(len(mapped)) if batch.sample_weights is None else batch.sample_weights
    per_row = PLAIN_LOSSES[loss](mapped @ model.weights, batch.targets)
    per_row = per_row + objective.feature_penalty * (mapped**2).sum(dim=1)
    return (weights * per_row).sum() / len(mapped)
