"""From parameters to what training needs: method, loss, layers, objective and options."""

from __future__ import annotations

import math

import torch

from askl.estimators.parameters import SpectralParameters
from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    METHODS,
    Method,
    Model,
    Objective,
    TrainingOptions,
)
from askl.spectral import ACTIVATIONS, Layer, draw_frequencies, draw_phases, natural_scale

# Frequencies on hidden features, relative to 1 / sqrt(width of the layer below).
HIDDEN_SCALE = 0.5


# A step of Adam moves an angle by the rate times a sum over the inputs: rates fall with them.
AUTO_RATE = 0.01


AUTO_RATE_INPUTS = 16


def resolve_method(parameters: SpectralParameters) -> Method:
    """Return the row of the method, with the fields that other parameters replace."""
    row = METHODS[parameters.method]
    named = {field: getattr(parameters, field) for field in row._fields}
    return row._replace(**{field: value for field, value in named.items() if value is not None})


def resolve_loss(parameters: SpectralParameters, default: str) -> str:
    """Return the name of the loss; it must be of the same task as the default, "auto"."""
    name = default if parameters.loss == "auto" else parameters.loss
    task = LOSSES[default].task
    if LOSSES[name].task != task:
        names = sorted(key for key, row in LOSSES.items() if row.task == task)
        raise ValueError(
            f"The 'loss' parameter of {type(parameters).__name__} must be 'auto' or one of "
            f"{names}. Got {name!r} instead, a loss for {LOSSES[name].task}."
        )
    return name


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
