"""How gradients become steps: the options of a descent, its optimisers and its schedules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from askl.learning.backpropagation import Gradients, Model

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    # Fused: one pass over parameters and moments instead of a dozen.
    "adam": lambda groups: torch.optim.Adam(groups, fused=True),
    "sgd": lambda groups: torch.optim.SGD(groups, fused=True),
    "adadelta": torch.optim.Adadelta,
}

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
    patience: int | None = None
    record_every: int | None = None


def make_optimizer(model: Model, options: TrainingOptions) -> torch.optim.Optimizer:
    """Make an optimiser with a group for each layer that is learned, and one for the head."""
    groups: list[dict[str, Any]] = [
        {"params": [layer.frequencies], "lr": rate}
        for layer, rate in zip(model.layers, options.learning_rates, strict=False)
    ]
    groups.append({"params": [model.weights], "lr": options.head_learning_rate})
    return OPTIMIZERS[options.optimizer](groups)


def take_step(optimizer: torch.optim.Optimizer, gradients: Gradients, rates: list[float]) -> None:
    """Hand the closed-form gradients to the optimiser, each group at its rate."""
    all_gradients: list[Tensor] = [*gradients.frequencies, gradients.weights]
    for group, gradient, rate in zip(optimizer.param_groups, all_gradients, rates, strict=True):
        group["params"][0].grad = gradient
        group["lr"] = rate
    optimizer.step()


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the optimiser's moments by name, such as ``0.exp_avg``."""
    state = optimizer.state_dict()["state"]
    return {
        f"{group}.{name}": value
        for group, moments in state.items()
        for name, value in moments.items()
        if isinstance(value, Tensor)
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Go on from what :func:`optimizer_tensors` returned."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        group, name = key.split(".", 1)
        state.setdefault(int(group), {})[name] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
