"""From parameters to what a fit needs: plan, seed, layers, objective and options."""

from __future__ import annotations

import math
from functools import partial
from numbers import Integral
from typing import NamedTuple

import numpy as np
import torch
from sklearn.utils import check_random_state

from askl.estimators.parameters import SpectralParameters
from askl.estimators.split import MIN_ROWS_TO_HOLD_OUT, Score
from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    METHODS,
    Method,
    Model,
    Objective,
    TrainingOptions,
)
from askl.learning.parallel.process_group import ProcessGroup, join_process_group
from askl.persistence.checkpoint import read_seed
from askl.preprocessing.input_scaling import Scaling
from askl.spectral import ACTIVATIONS, Layer, draw_frequencies, draw_phases, natural_scale

# The scale of frequencies on hidden features, relative to 1 / sqrt(width of the layer below).
HIDDEN_SCALE = 0.5
# A step of Adam changes an angle by the rate times a sum over the inputs: "auto" rates decrease
# with the number of inputs, beyond a few of them.
AUTO_RATE = 0.01
AUTO_RATE_INPUTS = 16
# The norm of a head that is solved exactly.
RIDGE = "frobenius"
# The share of the rows that is held out by default. To choose the penalty of a classifier's head it
# is larger with few rows, so that chance does not choose, and smaller with many.
HELD_OUT_SHARE = 0.1
HELD_OUT_ROWS_OF_CLASSIFIERS = 500
HELD_OUT_SHARES_OF_CLASSIFIERS = (0.05, 0.25)


class Plan(NamedTuple):
    """What a fit is to do: the parameters, and what they mean for the task.

    Attributes
    ----------
    parameters : SpectralParameters
    method : Method
    loss : str
    solves_head : bool
        Whether to solve the head exactly at the end.
    n_outputs : int
    score : callable or None
        Of outputs, targets and weights of held-out rows; higher is better.
    """

    parameters: SpectralParameters
    method: Method
    loss: str
    solves_head: bool
    n_outputs: int
    score: Score | None = None

    @property
    def is_ridge(self) -> bool:
        """Whether a solved head is that of ridge regression."""
        return LOSSES[self.loss].is_squared

    @property
    def given_strength(self) -> float | None:
        """The penalty of a solved head, if the user gave it: λ₁ of a ridge, else relative."""
        if not self.is_ridge:
            strength: float | None = getattr(self.parameters, "head_strength", None)
            return strength
        is_given = self.parameters.head_penalty is not None
        return self.method.head_penalty if is_given and self.method.head_norm == RIDGE else None

    def holds_out(self, n_samples: int) -> bool:
        """Return whether rows are held out, to stop early or to choose the penalty."""
        chooses = self.solves_head and self.given_strength is None
        return self.parameters.early_stopping or (chooses and n_samples >= MIN_ROWS_TO_HOLD_OUT)

    def held_out_share(self, n_samples: int) -> float:
        """Return the share of the rows to hold out."""
        share = self.parameters.validation_fraction
        if not isinstance(share, str):
            return share
        if self.is_ridge or not self.solves_head:
            return HELD_OUT_SHARE
        least, most = HELD_OUT_SHARES_OF_CLASSIFIERS
        return min(most, max(least, HELD_OUT_ROWS_OF_CLASSIFIERS / n_samples))


class FitContext(NamedTuple):
    """Where a fit runs, and where its random numbers come from."""

    device: torch.device
    group: ProcessGroup | None
    seed: int
    generator: torch.Generator


class ScaledModel(NamedTuple):
    """A model, the scaling of its inputs, and the seed that it was drawn with."""

    model: Model
    scaling: Scaling
    seed: int


def open_context(
    parameters: SpectralParameters, *, seed: int | None = None, resume: bool = False
) -> FitContext:
    """Join the other processes, and seed the generator.

    The seed is the given one, or with ``resume`` that of the checkpoint, or else a new one.
    """
    device = torch.device(parameters.device)
    group = join_process_group(device) if parameters.distributed else None
    if seed is None and resume:
        seed = _saved_seed(parameters, group)
    if seed is None:
        drawn = int(check_random_state(parameters.random_state).randint(np.iinfo(np.int32).max))
        seed = drawn if group is None else group.broadcast(lambda: drawn)
    return FitContext(device, group, seed, torch.Generator().manual_seed(seed))


def _saved_seed(parameters: SpectralParameters, group: ProcessGroup | None) -> int | None:
    """Return the seed in the checkpoint, unless the user gave a seed."""
    if parameters.checkpoint is None or isinstance(parameters.random_state, Integral):
        return None
    read = partial(read_seed, parameters.checkpoint)
    return read() if group is None else group.broadcast(read)


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
    n_inputs: int,
    n_outputs: int,
    generator: torch.Generator,
    device: torch.device,
) -> Model:
    """Draw the layers from their initial densities, and set the head to zero."""
    # NOTE[DIFF]: the script of the paper draws W at random. Zeros leave no noise to remove.
    layers = draw_layers(parameters, method, n_inputs, generator, device)
    return Model(layers, torch.zeros(layers[-1].width, n_outputs, device=device))


def draw_layers(
    parameters: SpectralParameters,
    method: Method,
    n_inputs: int,
    generator: torch.Generator,
    device: torch.device,
) -> tuple[Layer, ...]:
    """Draw all layers, the first from the density and the others from a normal one."""
    scale = parameters.frequency_scale
    first_scale = natural_scale(parameters.density, n_inputs) if scale == "auto" else float(scale)
    layers: list[Layer] = []
    for n_components in (*parameters.hidden_components, parameters.n_components):
        is_first = not layers
        below = 0 if is_first else layers[-1].width
        frequencies = draw_frequencies(
            below + n_inputs,
            n_components,
            n_branches=method.n_branches,
            density=parameters.density if is_first else "gaussian",
            scale=first_scale if is_first else HIDDEN_SCALE / math.sqrt(below),
            generator=generator,
        )
        phases = draw_phases(
            n_components,
            n_branches=method.n_branches,
            phases=parameters.phases,
            # NOTE[DIFF]: with the paper's U[0, 2π], most inputs would be on the same side of the
            # bend of a ReLU.
            centred=not ACTIVATIONS[parameters.activation].periodic,
            generator=generator,
        )
        layers.append(Layer(frequencies.to(device), phases.to(device), parameters.activation))
    return tuple(layers)


def make_objective(loss: str, method: Method) -> Objective:
    """Assemble the objective from a loss and the row of a method."""
    return Objective(
        LOSSES[loss].evaluate,
        HEAD_NORMS[method.head_norm],
        method.head_penalty,
        method.feature_penalty,
    )


def choose_batch_size(batch_size: int | str, n_samples: int) -> int:
    """Return the rows in a batch; ``"auto"`` grows with n, so that small data get enough steps.

    Examples
    --------
    >>> choose_batch_size("auto", 1000), choose_batch_size("auto", 8192), choose_batch_size(50, 20)
    (32, 128, 20)
    """
    if batch_size == "auto":
        return min(256, max(32, n_samples // 64))
    return min(int(batch_size), n_samples)


def choose_learning_rates(
    learning_rate: float | str, layers: tuple[Layer, ...]
) -> tuple[float, ...]:
    """Return a rate for every layer, which decreases with the square root of its inputs."""
    # NOTE[DIFF]: the paper has one rate for all widths. A step of Adam changes an angle by the rate
    # times a sum over the inputs.
    factors = [
        math.sqrt(AUTO_RATE_INPUTS / max(AUTO_RATE_INPUTS, layer.frequencies.shape[1]))
        for layer in layers
    ]
    base = AUTO_RATE if learning_rate == "auto" else float(learning_rate) / factors[0]
    return tuple(base * factor for factor in factors)


def make_options(
    parameters: SpectralParameters, method: Method, model: Model, n_samples: int
) -> TrainingOptions:
    """Translate the parameters to the options of the training loop."""
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
