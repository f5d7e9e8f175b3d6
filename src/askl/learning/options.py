"""The options of a descent, and its schedules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from askl.learning.model import Model
from askl.learning.optimizers import OPTIMIZERS, Optimizer

SCHEDULES: dict[str, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}


class TrainingOptions(NamedTuple):
    """How to descend.

    Attributes
    ----------
    learning_rates : tuple of float
        One for each layer's frequencies. Empty: frequencies stay as assigned.
    head_learning_rate : float
    optimizer, schedule : str
        Keys of :data:`OPTIMIZERS` and :data:`SCHEDULES`.
    batch_size, max_epochs : int
    dropout : float
        Share of features left out at random in every step.
    input_noise : float
        Standard deviation of the normal noise added to inputs in every step.
    patience : int, optional
        Epochs without a better validation score before stopping; needs ``score``.
    record_every : int, optional
        Iterations between two records of the history; an epoch by default.

    Examples
    --------
    >>> from askl.learning import OPTIMIZERS, SCHEDULES, TrainingOptions
    >>> options = TrainingOptions((0.01,), 0.05, schedule="cosine")
    >>> sorted(OPTIMIZERS), SCHEDULES[options.schedule](0.5)
    (['adadelta', 'adam', 'sgd'], 0.5)
    """

    learning_rates: tuple[float, ...]
    head_learning_rate: float
    optimizer: str = "adam"
    schedule: str = "cosine"
    batch_size: int = 256
    max_epochs: int = 20
    dropout: float = 0.0
    input_noise: float = 0.0
    patience: int | None = None
    record_every: int | None = None


def make_optimizer(model: Model, options: TrainingOptions) -> Optimizer:
    """Make an optimiser for every layer that is learned, and the head."""
    learned = [layer.frequencies for layer in model.layers] if options.learning_rates else []
    return Optimizer(OPTIMIZERS[options.optimizer], [*learned, model.weights])
