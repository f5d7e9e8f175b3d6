"""Small problems in float64, and what the tests of the training loop share."""

from __future__ import annotations

import copy

import torch

from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    Batch,
    Model,
    Objective,
    RunState,
    TensorRows,
    TrainingOptions,
    squared_loss,
    train,
)
from askl.spectral import Layer

DOUBLE = torch.float64
N_SAMPLES = 40


def make_problem(*, n_components=6, n_outputs=2, seed=0):
    """Some rows, and an untrained model in float64."""
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
NOISY = TrainingOptions((0.05,), 0.5, batch_size=7, max_epochs=3, dropout=0.25, input_noise=0.1)


def deep_problem():
    """The same rows, and a model of two layers."""
    rows, model = make_problem()
    generator = torch.Generator().manual_seed(5)
    frequencies = torch.randn(2, 6 + 2, 4, generator=generator, dtype=DOUBLE)
    second = Layer(frequencies, torch.zeros(2, 4, dtype=DOUBLE))
    return rows, Model((*model.layers, second), torch.zeros(4, 2, dtype=DOUBLE))


class Memory:
    """A checkpointer that keeps a copy of every state it is given."""

    def __init__(self, restored: RunState | None = None, every: int = 1) -> None:
        self.restored, self.every, self.next_iteration = restored, every, 0
        self.states: list[RunState] = []

    def save(self, state: RunState, *, failing: bool = False) -> None:
        self.states.append(copy.deepcopy(state))
        self.next_iteration = state.numbers["iterations"] + self.every


def wavy_score(model: Model) -> float:
    """A score that rises and falls."""
    return float(model.weights.sum().sin())


def scripted(scores):
    """Return a score that takes the given values in turn, and the models that it has seen."""
    models = []

    def score(model):
        models.append(model.copy())
        return scores[len(models) - 1]

    return score, models


def outcome(model: Model, result):
    """Return everything that two equal runs have in common: all but the time."""
    timeless = repr([tuple(record)[:-1] for record in result.history])  # NaN equals NaN
    return [t.tolist() for t in model.tensors().values()], timeless, result.stop, result.n_epochs


def random_model(generator, *, hidden=(), activation="cosine", n_features=3, n_outputs=2):
    """A model with random weights, and hidden layers of the given widths."""
    layers: list[Layer] = []
    for n_components in (*hidden, 5):
        below = layers[-1].width if layers else 0
        frequencies = torch.randn(
            2, below + n_features, n_components, generator=generator, dtype=DOUBLE
        )
        phases = 6.0 * torch.rand(2, n_components, generator=generator, dtype=DOUBLE)
        layers.append(Layer(frequencies, phases, activation))
    weights = torch.randn(layers[-1].width, n_outputs, generator=generator, dtype=DOUBLE)
    return Model(tuple(layers), weights)


def random_batch(generator, *, n_samples=100, loss="squared", weighted=False):
    """Rows of three inputs and two outputs, or two classes."""
    inputs = torch.randn(n_samples, 3, generator=generator, dtype=DOUBLE)
    targets = torch.randn(n_samples, 2, generator=generator, dtype=DOUBLE)
    if LOSSES[loss].task == "classification":
        targets = targets.argmax(dim=1)
    weights = torch.rand(n_samples, generator=generator, dtype=DOUBLE) if weighted else None
    return Batch(inputs, targets, weights)
