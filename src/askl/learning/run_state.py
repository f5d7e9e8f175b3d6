"""The state of a training run: what changes while a model is trained, and how it is saved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor

from askl.learning.batch import Batch
from askl.learning.history import Progress, RunningMeans
from askl.learning.model import Model
from askl.learning.optimizers import OPTIMIZERS, Optimizer
from askl.learning.options import TrainingOptions
from askl.learning.sources import Source

Named: TypeAlias = dict[str, Tensor]
OnTensors: TypeAlias = Callable[[Named], Named]
Stop: TypeAlias = Literal["max_epochs", "early_stopping", "diverged", "interrupted"]


class RunState(NamedTuple):
    """Everything that a run needs to continue as if it had never stopped.

    Attributes
    ----------
    tensors : dict of Tensor
        The tensors of the run itself, not copies: valid until its next step.
    numbers : dict
        Everything else, in types that JSON can hold.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import RunState
    >>> state = RunState({"model/weights": torch.zeros(3, 1)}, {"epochs": 2})
    >>> state.numbers["epochs"]
    2
    """

    tensors: dict[str, Tensor]
    numbers: dict[str, Any]


class Checkpointer(Protocol):
    """Saves the state of a run from time to time, and provides the state to resume from.

    Attributes
    ----------
    restored : RunState or None
        The state to resume from. None: train from the beginning.
    next_iteration : int
        :meth:`save` is called next after this many iterations.

    Examples
    --------
    >>> from copy import deepcopy
    >>> class InMemory:
    ...     restored, next_iteration = None, 0
    ...     def save(self, state, *, failing=False):
    ...         self.saved = deepcopy(state)
    ...         self.next_iteration = state.numbers["iterations"] + 100
    >>> checkpointer: Checkpointer = InMemory()
    >>> checkpointer.save(RunState({}, {"iterations": 5}))
    >>> checkpointer.next_iteration
    105
    """

    restored: RunState | None
    next_iteration: int

    def save(self, state: RunState, *, failing: bool = False) -> None:
        """Copy the state to a safe place, and move ``next_iteration`` forward.

        Parameters
        ----------
        state : RunState
            The state of the run at this moment.
        failing : bool, default=False
            Whether the run is about to end with an error.
        """
        ...


@runtime_checkable
class HasTensors(Protocol):
    """A part of the state that consists of named tensors."""

    def tensors(self) -> Named:
        """Return the tensors by name; they are not copied."""
        ...

    def restore(self, tensors: Named) -> None:
        """Overwrite the tensors with saved ones of the same names."""
        ...


class EpochOrder:
    """Draws the order of each epoch's batches, and can draw the current epoch's order again."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator
        self._epoch_start = generator.get_state()

    def batches(self, source: Source, batch_size: int, *, n_taken: int) -> Iterator[Batch]:
        """Return the batches of an epoch, without the first ``n_taken``."""
        now = self._generator.get_state()
        if n_taken == 0:
            self._epoch_start = now
        elif n_taken == source.n_batches(batch_size):
            return iter(())
        self._generator.set_state(self._epoch_start)
        batches = source.epoch(batch_size, self._generator, skip=n_taken)
        if n_taken > 0:
            # Dropout and input noise have drawn numbers since the epoch began.
            self._generator.set_state(now)
        return batches

    def tensors(self) -> Named:
        """Return the states of the generator: the current one, and that before the epoch."""
        return {"now": self._generator.get_state(), "epoch_start": self._epoch_start}

    def restore(self, tensors: Named) -> None:
        """Continue from what :meth:`tensors` returned."""
        self._generator.set_state(tensors["now"])
        self._epoch_start = tensors["epoch_start"]


# Parts that strategies divide between processes. All other parts are the same in each process.
DIVIDED = (Model, Optimizer)


@dataclass
class LoopState:
    """The moving parts of the training loop in one process.

    Attributes
    ----------
    model : Model
        What this process trains.
    optimizer : Optimizer
    order : EpochOrder
    means : RunningMeans
    best : Model
        The model to return to, if the last one is worse.
    epoch_start : Model
        The model before the current epoch.
    history : list of Progress
    epochs, iterations : int
        Finished so far.
    seconds : float
        Time trained so far, before a resumption included.
    best_score, best_loss : float
        Score, or without scores mean loss, of ``best``.
    best_epoch : int
        The epoch of the best score.
    pending_threshold : float
        Sum of the thresholds of the proximal steps that are still to be taken.
    head_size : float
        Frobenius norm of the head after the last proximal step.
    stop : str, optional
        Why training has ended, if it has.
    """

    model: Model
    optimizer: Optimizer
    order: EpochOrder
    means: RunningMeans
    best: Model
    epoch_start: Model
    history: list[Progress] = field(default_factory=list)
    epochs: int = 0
    iterations: int = 0
    seconds: float = 0.0
    best_score: float = -math.inf
    best_loss: float = math.inf
    best_epoch: int = 0
    pending_threshold: float = 0.0
    head_size: float = 0.0
    stop: Stop | None = None

    @classmethod
    def before_training(
        cls, model: Model, options: TrainingOptions, generator: torch.Generator
    ) -> LoopState:
        """Return the state before the first step."""
        learned = [layer.frequencies for layer in model.layers] if options.learning_rates else []
        return cls(
            model,
            Optimizer(OPTIMIZERS[options.optimizer], [*learned, model.weights]),
            EpochOrder(generator),
            RunningMeans(model.weights.device),
            best=model.copy(),
            epoch_start=model.copy(),
        )

    def to_run_state(self, gather: OnTensors) -> RunState:
        """Return all fields as tensors and numbers, which are not copied.

        ``gather`` assembles whole tensors from the parts that the processes have.
        """
        saved = RunState({}, {})
        for name, value in self._items():
            if isinstance(value, HasTensors):
                tensors = value.tensors()
                if isinstance(value, DIVIDED):
                    tensors = gather(tensors)
                saved.tensors.update({f"{name}/{key}": each for key, each in tensors.items()})
            else:
                saved.numbers[name] = value
        return saved

    def restore(self, saved: RunState, scatter: OnTensors) -> None:
        """Overwrite all fields with those of a saved run.

        ``scatter`` returns the parts of whole tensors that this process has.
        """
        for name, value in self._items():
            if isinstance(value, HasTensors):
                tensors = _with_prefix(f"{name}/", saved.tensors)
                value.restore(scatter(tensors) if isinstance(value, DIVIDED) else tensors)
            else:
                setattr(self, name, saved.numbers[name])
        self.history = [Progress(*record) for record in self.history]

    def _items(self) -> list[tuple[str, object]]:
        return [(each.name, getattr(self, each.name)) for each in fields(self)]


def _with_prefix(prefix: str, tensors: Named) -> Named:
    """Return the tensors whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
