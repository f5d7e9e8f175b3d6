"""A small problem in float64 for the training loop to solve."""

from __future__ import annotations

import torch

from askl.learning import (
    HEAD_NORMS,
    Model,
    Objective,
    TensorRows,
    TrainingOptions,
    squared_loss,
    train,
)
from askl.spectral import Layer

DOUBLE = torch.float64
N_SAMPLES = 40


def make_problem(*, n_components=6, n_outputs=2, seed=0):
    """Some rows, and a model in float64 that has yet to learn them."""
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(N_SAMPLES, 2, generator=generator, dtype=DOUBLE)
    targets = torch.stack([inputs.sum(dim=1).sin(), inputs[:, 0].square()], dim=1)[:, :n_outputs]
    frequencies = torch.randn(2, 2, n_components, generator=generator, dtype=DOUBLE)
    phases = 6.0 * torch.rand(1, n_components, generator=generator, dtype=DOUBLE)
    layer = Layer(frequencies, phases.expand(2, -1).contiguous())
    return TensorRows(inputs, targets), Model(
        (layer,), torch.zeros(n_components, n_outputs).double()
    )


def whole(rows):
    return rows.rows(torch.arange(N_SAMPLES))


def fit(model, rows, options, objective=None, seed=0, **extra):
    objective = objective or Objective(squared_loss, HEAD_NORMS["trace"], 1e-3, 1e-2)
    return train(
        model, objective, rows, options, generator=torch.Generator().manual_seed(seed), **extra
    )


FULL_BATCH = TrainingOptions(
    (0.05,), 0.5, optimizer="sgd", schedule="constant", batch_size=N_SAMPLES, max_epochs=3
)
