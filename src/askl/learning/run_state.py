"""The state of a run, and who keeps it: pure tensors and numbers, no files."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from torch import Tensor


class RunState(NamedTuple):
    """Everything a run needs to go on as if it had never stopped.

    Attributes
    ----------
    tensors : dict of Tensor
        The run's own tensors, not copies: valid until its next step.
    numbers : dict
        The rest, of types that JSON knows.

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
    """Keeps the state of a run safe.

    Attributes
    ----------
    restored : RunState or None
        The state to go on from.
    next_iteration : int
        The iteration after which :meth:`save` is to be called next.

    Examples
    --------
    >>> from copy import deepcopy
    >>> class InMemory:
    ...     restored, next_iteration = None, 0
    ...     def save(self, state, *, failing=False):
    ...         self.restored = deepcopy(state)
    ...         self.next_iteration = state.numbers["iterations"] + 100
    >>> checkpointer: Checkpointer = InMemory()
    >>> checkpointer.save(RunState({}, {"iterations": 5}))
    >>> checkpointer.next_iteration
    105
    """

    restored: RunState | None
    next_iteration: int

    def save(self, state: RunState, *, failing: bool = False) -> None:
        """Copy the state away, and put off ``next_iteration``.

        Parameters
        ----------
        state : RunState
            Of the run as it is now.
        failing : bool, default=False
            Whether an error ends the run now.
        """
        ...


def flatten(parts: dict[str, dict[str, Tensor]]) -> dict[str, Tensor]:
    """Name every tensor of every part ``part/name``."""
    return {
        f"{part}/{name}": tensor for part, named in parts.items() for name, tensor in named.items()
    }


def unflatten(tensors: dict[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """Undo :func:`flatten`; a part without tensors is gone."""
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        part, name = key.split("/", 1)
        parts.setdefault(part, {})[name] = tensor
    return parts
