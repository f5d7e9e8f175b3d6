"""The options of training, and its schedules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

SCHEDULES: dict[str, Callable[[float], float]] = {
    "constant": lambda progress: 1.0,
    "cosine": lambda progress: 0.5 * (1.0 + math.cos(math.pi * progress)),
}


# Small enough that a float32 step does not notice the difference.
PROX_TOLERANCE = 1e-5


class TrainingOptions(NamedTuple):
    """How to train.

    Attributes
    ----------
    learning_rates : tuple of float
        One for the frequencies of each layer. Empty: frequencies stay as drawn.
    head_learning_rate : float
    optimizer, schedule : str
        Keys of :data:`OPTIMIZERS` and :data:`SCHEDULES`.
    batch_size, max_epochs : int
    dropout : float
        Probability of leaving out a feature in a step.
    input_noise : float
        Standard deviation of the normal noise that each step adds to the inputs.
    patience : int, optional
        Stop after this many epochs without a better score. Needs a score.
    record_every : int, optional
        Iterations between two records of the history. An epoch by default.
    prox_tolerance : float
        Proximal steps are postponed, and then taken as one, until their thresholds add up to
        this share of the head's norm: each costs a decomposition.

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
    prox_tolerance: float = PROX_TOLERANCE
