"""The parameters all estimators share, with their defaults and constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, ClassVar

import torch
from sklearn.base import BaseEstimator

from askl.learning import HEAD_NORMS, LOSSES, METHODS, OPTIMIZERS, SCHEDULES, Method, Progress
from askl.preprocessing.input_scaling import SCALINGS
from askl.preprocessing.parameter_validation import (
    AUTO,
    BOOLEAN,
    CALLABLE,
    INTEGERS,
    NONE,
    ORDERS,
    Constraint,
    check_parameters,
    instance,
    integer,
    one_of,
    real,
)
from askl.preprocessing.target_scaling import TARGET_SCALES
from askl.spectral import ACTIVATIONS, DENSITIES
from askl.spectral.densities import Phases


class SpectralParameters(BaseEstimator):
    """Store the parameters; say which row of the methods' table they ask for."""

    _loss_of_auto: str
    _constraints: ClassVar[dict[str, Constraint]] = {
        "method": one_of(METHODS),
        "n_components": integer(1),
        "hidden_components": INTEGERS,
        "activation": one_of(ACTIVATIONS),
        "frequency_scale": AUTO | real(0.0, above=True),
        "density": one_of(DENSITIES),
        "phases": one_of(["shared", "independent"]),
        "loss": AUTO | one_of(LOSSES),
        "head_penalty": NONE | real(0.0),
        "feature_penalty": NONE | real(0.0),
        "optimizer": one_of(OPTIMIZERS),
        "learning_rate": AUTO | real(0.0, above=True),
        "head_learning_rate": real(0.0, above=True),
        "schedule": one_of(SCHEDULES),
        "batch_size": AUTO | integer(1),
        "max_epochs": integer(1),
        "dropout": real(0.0, 1.0),
        "input_noise": real(0.0),
        "symmetries": NONE | ORDERS,
        "early_stopping": BOOLEAN,
        "validation_fraction": real(0.0, 1.0, above=True),
        "n_iter_no_change": integer(1),
        "scale_inputs": one_of(SCALINGS),
        "decorrelate_inputs": BOOLEAN,
        "weigh_inputs": BOOLEAN,
        "scale_targets": one_of(TARGET_SCALES),
        "refit_head": AUTO | BOOLEAN,
        "n_branches": NONE | integer(1),
        "learn_frequencies": NONE | BOOLEAN,
        "head_norm": NONE | one_of(HEAD_NORMS),
        "warm_start": BOOLEAN,
        "device": instance((str, torch.device), "a device such as 'cpu' or 'cuda'"),
        "n_threads": NONE | integer(1),
        "record_every": NONE | integer(1),
        "callback": NONE | CALLABLE,
        "checkpoint": NONE | instance((str, PathLike), "a path"),
        "checkpoint_every": NONE | integer(1),
        "distributed": BOOLEAN,
        "verbose": BOOLEAN | integer(0),
    }

    def __init__(
        self,
        method: str = "askl",
        *,
        n_components: int = 1000,
        hidden_components: tuple[int, ...] = (),
        activation: str = "cosine",
        frequency_scale: float | str = "auto",
        density: str = "sparse",
        phases: Phases = "shared",
        loss: str = "auto",
        head_penalty: float | None = None,
        feature_penalty: float | None = None,
        optimizer: str = "adam",
        learning_rate: float | str = "auto",
        head_learning_rate: float = 0.05,
        schedule: str = "cosine",
        batch_size: int | str = "auto",
        max_epochs: int = 30,
        dropout: float = 0.1,
        input_noise: float = 0.0,
        symmetries: Sequence[Sequence[int]] | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        scale_inputs: str = "robust",
        decorrelate_inputs: bool = False,
        weigh_inputs: bool = False,
        scale_targets: str = "standard",
        refit_head: bool | str = "auto",
        n_branches: int | None = None,
        learn_frequencies: bool | None = None,
        head_norm: str | None = None,
        warm_start: bool = False,
        device: str = "cpu",
        n_threads: int | None = None,
        record_every: int | None = None,
        callback: Callable[[Progress, Any], None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int | None = None,
        distributed: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.n_components = n_components
        self.hidden_components = hidden_components
        self.activation = activation
        self.frequency_scale = frequency_scale
        self.density = density
        self.phases = phases
        self.loss = loss
        self.head_penalty = head_penalty
        self.feature_penalty = feature_penalty
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.head_learning_rate = head_learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.dropout = dropout
        self.input_noise = input_noise
        self.symmetries = symmetries
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.scale_inputs = scale_inputs
        self.decorrelate_inputs = decorrelate_inputs
        self.weigh_inputs = weigh_inputs
        self.scale_targets = scale_targets
        self.refit_head = refit_head
        self.n_branches = n_branches
        self.learn_frequencies = learn_frequencies
        self.head_norm = head_norm
        self.warm_start = warm_start
        self.device = device
        self.n_threads = n_threads
        self.record_every = record_every
        self.callback = callback
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.distributed = distributed
        self.random_state = random_state
        self.verbose = verbose

    def check_parameters(self) -> None:
        """Raise a ValueError that names the first parameter whose value is not allowed."""
        check_parameters(self, self._constraints)
        self.resolve_loss()

    def resolve_method(self) -> Method:
        """Return the method's row, its fields replaced by those parameters that are not None.

        Returns
        -------
        Method
        """
        row = METHODS[self.method]
        named = {field: getattr(self, field) for field in row._fields}
        return row._replace(**{field: value for field, value in named.items() if value is not None})

    def resolve_loss(self) -> str:
        """Return the name of the loss, "auto" replaced by that of the estimator's task.

        Returns
        -------
        str
            A key of :data:`askl.learning.LOSSES`.
        """
        name = self._loss_of_auto if self.loss == "auto" else self.loss
        wanted = LOSSES[self._loss_of_auto].task
        if LOSSES[name].task != wanted:
            fitting = sorted(key for key, row in LOSSES.items() if row.task == wanted)
            raise ValueError(
                f"The 'loss' parameter of {type(self).__name__} must be 'auto' or one of "
                f"{fitting}. "
                f"Got {name!r} instead, a loss for {LOSSES[name].task}."
            )
        return name

    def solves_head(self) -> bool:
        """Return whether ``fit`` solves the head exactly at the end."""
        return self.resolve_loss() == "squared" and self.refit_head is not False
