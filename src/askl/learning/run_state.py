"""The saved state of a training run, and the interface of what saves it: no files here."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from torch import Tensor


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
