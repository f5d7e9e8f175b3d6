"""A model that behaves, and costs, as the script released with the paper does.

Written from a description of its behaviour. Each batch takes two products for two branches with
phases of their own, autograd, two singular value decompositions and an optimiser in many
passes. The penalties are unsquared norms of a batch. Thresholding makes a new head, but the
optimiser keeps the old one: the head stays near its random initial value, and only frequencies
learn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, mse_loss
from torch.utils.data import DataLoader, TensorDataset


class Settings(NamedTuple):
    """What the user of the script chooses."""

    n_components: int = 2000
    standardize: bool = True
    frequency_scale: float = 1.0
    learning_rate: float = 1e-3
    head_penalty: float = 1e-4
    feature_penalty: float = 1e-4


class StepFigures(NamedTuple):
    """What the script reports after every batch."""

    loss: float
    trace_norm: float
    feature_norm: float
    score: float


def single_sample_batches(
    inputs: Tensor, targets: Tensor, batch_size: int, generator: torch.Generator
) -> DataLoader[tuple[Tensor, ...]]:
    """Shuffled batches, each put together from single samples."""
    rows = TensorDataset(inputs, targets)
    return DataLoader(rows, batch_size=batch_size, shuffle=True, generator=generator)


class Reference:
    """The script's parameters and its step; one output means regression."""

    def __init__(
        self, n_features: int, n_outputs: int, settings: Settings, generator: torch.Generator
    ) -> None:
        shape = (n_features, settings.n_components)
        self.settings = settings
        self.frequencies = [
            (settings.frequency_scale * torch.randn(shape, generator=generator)).requires_grad_()
            for _ in range(2)
        ]
        self.phases = [
            2.0 * math.pi * torch.rand(settings.n_components, generator=generator) for _ in range(2)
        ]
        head = torch.randn(settings.n_components, n_outputs, generator=generator)
        self.weights = head.requires_grad_()
        self.optimizer = torch.optim.Adam(
            [*self.frequencies, self.weights], lr=settings.learning_rate, fused=False
        )

    def features(self, inputs: Tensor) -> Tensor:
        first, second = (
            torch.cos(inputs @ frequencies + phases)
            for frequencies, phases in zip(self.frequencies, self.phases, strict=True)
        )
        return (first + second) / math.sqrt(2.0 * self.settings.n_components)

    @torch.no_grad()
    def outputs(self, inputs: Tensor) -> Tensor:
        """Compute f(x) in blocks that fit in memory."""
        return torch.cat([self.features(block) @ self.weights for block in inputs.split(1024)])

    def step(self, inputs: Tensor, targets: Tensor) -> StepFigures:
        """Take one step on a batch."""
        features = self.features(inputs)
        outputs = features @ self.weights
        regression = outputs.shape[1] == 1
        loss = mse_loss(outputs, targets) if regression else cross_entropy(outputs, targets)
        trace_norm = torch.linalg.matrix_norm(self.weights, ord="nuc")
        feature_norm = torch.linalg.matrix_norm(features)
        penalties = self.settings.head_penalty * trace_norm
        penalties = penalties + self.settings.feature_penalty * feature_norm
        self.optimizer.zero_grad()
        (loss + penalties).backward()
        self._threshold_head()
        self.optimizer.step()
        hits = loss if regression else (outputs.argmax(dim=1) == targets).float().mean()
        return StepFigures(loss.item(), trace_norm.item(), feature_norm.item(), hits.item())

    def _threshold_head(self) -> None:
        """Bind the name to a new matrix with smaller singular values, not clamped at zero."""
        threshold = self.settings.head_penalty * self.settings.learning_rate
        left, values, right = torch.linalg.svd(self.weights.detach(), full_matrices=False)
        self.weights = ((left * (values - threshold)) @ right).requires_grad_()
