"""The steps of a fit that know tensors and parameters but no task."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor

from askl.estimators.parameters import SpectralParameters
from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    Method,
    Model,
    Objective,
    Source,
    TensorRows,
    TrainingOptions,
    TrainingResult,
    compute_outputs,
)
from askl.spectral import ACTIVATIONS, Layer, draw_frequencies, draw_phases, natural_scale

# Frequencies on hidden features, relative to 1 / sqrt(width of the layer below).
HIDDEN_SCALE = 0.5
# A step of Adam moves an angle by the rate times a sum over the inputs: rates fall with them.
AUTO_RATE = 0.01
AUTO_RATE_INPUTS = 16
# With fewer rows than this, none are held out unless early stopping asks for it.
MIN_ROWS_TO_HOLD_OUT = 100
BLOCK_ROWS = 4096
# Below this many multiplications a step, a second thread costs more than it brings.
THREADING_WORK = 2e8

Score = Callable[[Tensor, Tensor, Tensor | None], float]


def draw_model(
    parameters: SpectralParameters,
    method: Method,
    n_features: int,
    n_outputs: int,
    generator: torch.Generator,
    device: torch.device,
) -> Model:
    """Draw all layers from their initial densities, and start the head at zero."""
    scale = parameters.frequency_scale
    first_scale = natural_scale(parameters.density, n_features) if scale == "auto" else float(scale)
    layers: list[Layer] = []
    for n_components in (*parameters.hidden_components, parameters.n_components):
        first = not layers
        below = 0 if first else layers[-1].width
        frequencies = draw_frequencies(
            below + n_features,
            n_components,
            n_branches=method.n_branches,
            density=parameters.density if first else "gaussian",
            scale=first_scale if first else HIDDEN_SCALE / math.sqrt(below),
            generator=generator,
        )
        phases = draw_phases(
            n_components,
            n_branches=method.n_branches,
            phases=parameters.phases,
            # NOTE[DIFF]: the paper's U[0, 2π] would put the bend of a ReLU beyond most inputs.
            centred=not ACTIVATIONS[parameters.activation].periodic,
            generator=generator,
        )
        layers.append(Layer(frequencies.to(device), phases.to(device), parameters.activation))
    return Model(tuple(layers), torch.zeros(layers[-1].width, n_outputs, device=device))


def make_objective(loss: str, method: Method) -> Objective:
    """Assemble the objective of a method's row."""
    return Objective(
        LOSSES[loss].evaluate,
        HEAD_NORMS[method.head_norm],
        method.head_penalty,
        method.feature_penalty,
    )


def choose_batch_size(batch_size: int | str, n_samples: int) -> int:
    """Clip a batch size to n; ``"auto"`` grows with n, so that small data get enough steps."""
    if batch_size == "auto":
        return min(256, max(32, n_samples // 64))
    return min(int(batch_size), n_samples)


def choose_learning_rates(
    learning_rate: float | str, layers: tuple[Layer, ...]
) -> tuple[float, ...]:
    """Return a rate for every layer, falling with the square root of its inputs."""
    damping = [
        math.sqrt(AUTO_RATE_INPUTS / max(AUTO_RATE_INPUTS, layer.frequencies.shape[1]))
        for layer in layers
    ]
    base = AUTO_RATE if learning_rate == "auto" else float(learning_rate) / damping[0]
    return tuple(base * factor for factor in damping)


def make_options(
    parameters: SpectralParameters, method: Method, model: Model, n_samples: int
) -> TrainingOptions:
    """Translate the parameters to the training loop's options."""
    rates = choose_learning_rates(parameters.learning_rate, model.layers)
    return TrainingOptions(
        learning_rates=rates if method.learn_frequencies else (),
        head_learning_rate=parameters.head_learning_rate,
        optimizer=parameters.optimizer,
        schedule=parameters.schedule,
        batch_size=choose_batch_size(parameters.batch_size, n_samples),
        max_epochs=parameters.max_epochs,
        dropout=parameters.dropout,
        input_noise=parameters.input_noise,
        patience=parameters.n_iter_no_change if parameters.early_stopping else None,
        record_every=parameters.record_every,
    )


class Rows(NamedTuple):
    """Rows to train on and, where some are held out, the others."""

    train: Source
    held_out: TensorRows | None


def split_rows(
    rows: TensorRows, fraction: float, generator: torch.Generator, *, stratify: bool
) -> Rows:
    """Hold out a fraction of the rows at random, of each class alike where there are classes."""
    n_samples = len(rows.targets)
    order = torch.randperm(n_samples, generator=generator)
    if stratify:
        order = _spread_classes(rows.targets.cpu(), order)
    n_held_out = max(1, round(fraction * n_samples))
    if n_held_out >= n_samples:
        raise ValueError(
            f"A validation split of {fraction:g} leaves no row to train on: n_samples={n_samples}. "
            "Give more rows, a smaller validation_fraction, or early_stopping=False."
        )
    return Rows(rows.subset(order[n_held_out:].sort().values), rows.subset(order[:n_held_out]))


def _spread_classes(targets: Tensor, order: Tensor) -> Tensor:
    """Reorder rows so that every stretch of them holds the classes in proportion."""
    position = torch.empty(len(targets), dtype=torch.float64)
    for label in targets.unique():
        members = order[targets[order] == label]
        steps = torch.arange(len(members), dtype=torch.float64)
        position[members] = (steps + 0.5) / len(members)
    return order[position[order].argsort(stable=True)]


def score_on(rows: TensorRows | None, score: Score) -> Callable[[Model], float] | None:
    """Make a function of the model that scores it on held-out rows."""
    if rows is None:
        return None

    def evaluate(model: Model) -> float:
        outputs = torch.cat(
            [compute_outputs(batch.inputs, model) for batch in rows.blocks(BLOCK_ROWS)]
        )
        return score(outputs, rows.targets, rows.sample_weights)

    return evaluate


def warn_of_early_end(result: TrainingResult, parameters: SpectralParameters) -> None:
    """Tell the user when training ended for a reason other than being done."""
    if result.stop == "diverged":
        warnings.warn(
            f"Training diverged in epoch {result.n_epochs + 1} and kept its best state so far. "
            f"Lower learning_rate={parameters.learning_rate} or "
            f"head_learning_rate={parameters.head_learning_rate:g}.",
            ConvergenceWarning,
            stacklevel=4,
        )
    elif result.stop == "interrupted":
        warnings.warn(
            f"Training was interrupted after {result.n_epochs} epochs; "
            "the model trained so far is kept.",
            ConvergenceWarning,
            stacklevel=4,
        )


def work(model: Model, n_rows: int) -> float:
    """Count the multiplications of one pass over some rows."""
    return float(n_rows) * sum(layer.frequencies.numel() for layer in model.layers)


@contextmanager
def thread_count(n_threads: int | None, work: float) -> Iterator[None]:
    """Run with a number of threads, by default one for small steps, and restore it after."""
    before = torch.get_num_threads()
    wanted = n_threads or (before if work >= THREADING_WORK else 1)
    torch.set_num_threads(wanted)
    try:
        yield
    finally:
        torch.set_num_threads(before)
