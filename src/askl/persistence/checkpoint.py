"""Checkpoints: the whole state of a fit, in one file that is always complete."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from askl._typing import Array
from askl.errors import CheckpointError
from askl.learning import RunState
from askl.learning.parallel.process_group import ProcessGroup
from askl.persistence.atomic_write import write_atomic

FORMAT = "askl checkpoint 1"
# Parameters that change nothing in the model.
IRRELEVANT = frozenset(
    {
        "callback",
        "checkpoint",
        "checkpoint_every",
        "device",
        "distributed",
        "n_threads",
        "random_state",  # the seed that came from it is compared instead
        "verbose",
    }
)


def digest_rows(*arrays: Any, n_sampled: int = 1024) -> str:
    """Hash the shapes of some arrays of equal length, and ``n_sampled`` rows at equal distances."""
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            continue
        digest.update(f"{array.shape} {array.dtype}".encode())
        n_rows = array.shape[0]
        rows = array[np.linspace(0, n_rows - 1, min(n_rows, n_sampled)).astype(np.int64)]
        dense: Array = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        digest.update(np.ascontiguousarray(dense).tobytes())
    return digest.hexdigest()[:32]


def digest_tensors(tensors: dict[str, Tensor]) -> str:
    """Hash all numbers of some tensors, and their names."""
    digest = hashlib.sha256()
    for name, tensor in tensors.items():
        digest.update(name.encode())
        digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()[:32]


def describe_parameters(parameters: dict[str, Any]) -> dict[str, str]:
    """Return the parameters that a fit depends on, as text."""
    return {name: str(value) for name, value in parameters.items() if name not in IRRELEVANT}


class Checkpoint:
    """Saves the state of one fit to a file: a checkpointer for :func:`askl.learning.train`.

    Parameters
    ----------
    path : str or Path
    fit : dict of str
        Identifies the fit: its parameters, seed, data and first model. The file of another fit
        is refused.
    every : int
        Iterations between two writes.
    group : ProcessGroup, optional
        Processes that train together. The first one reads for all, and only it writes.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        fit: dict[str, Any],
        every: int,
        group: ProcessGroup | None = None,
    ) -> None:
        self.path, self.fit, self.every = Path(path), fit, every
        self.writes = group is None or group.is_first
        self.restored = self._read() if group is None else group.broadcast(self._read)
        self.next_iteration = self.restored.numbers["iterations"] + every if self.restored else 0
        self._signal: int | None = None
        self._handlers: dict[int, Any] = {}

    def save(self, state: RunState, *, failing: bool = False) -> None:
        """Write the state, and then handle a signal that has arrived in the meantime."""
        if self.writes:
            self._write(state)
        self.next_iteration = state.numbers["iterations"] + self.every
        # If an error ends the fit, the user needs its message, not that of the signal.
        if self._signal is not None and not failing:
            self._raise_deferred()

    def remove(self) -> None:
        """Remove the file: the fit is done."""
        if self.writes:
            self.path.unlink(missing_ok=True)

    def _write(self, state: RunState) -> None:
        header = {"format": FORMAT, "fit": self.fit, "numbers": state.numbers}
        try:
            write_atomic(self.path, _pack(header, state.tensors))
        except OSError as error:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} cannot be written: {error.strerror}. An "
                "earlier checkpoint is unchanged, and the next fit resumes from it. Free some "
                "space, or set 'checkpoint' to a file in a folder that can be written to."
            ) from error

    def _read(self) -> RunState | None:
        header, tensors = read_checkpoint(self.path)
        if header is None:
            return None
        if header["fit"] != self.fit:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} is of another fit: "
                f"{_first_difference(header['fit'], self.fit)}. Remove the file to train from "
                "the beginning, or set 'checkpoint' to another file."
            )
        return RunState(tensors, header["numbers"])

    @contextmanager
    def signals_deferred(self) -> Iterator[None]:
        """Within this block, delay SIGINT and SIGTERM until the next state is written.

        A second signal is handled at once. Signals that the program ignores stay ignored. In
        other threads than the main one this does nothing, because Python handles no signals there.
        """
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._handlers[number] = signal.signal(number, self._defer)
        try:
            yield
        finally:
            self._restore_handlers()
        if self._signal is not None:  # it arrived after the last write
            self._raise_deferred()

    def _defer(self, number: int, frame: object) -> None:
        if self._signal is not None:
            self._raise_deferred()
        else:
            self._signal, self.next_iteration = number, 0

    def _raise_deferred(self) -> None:
        """Raise the signal again, with the handlers of the program."""
        number, self._signal = self._signal, None
        self._restore_handlers()
        if number is not None:
            signal.raise_signal(number)

    def _restore_handlers(self) -> None:
        while self._handlers:
            signal.signal(*self._handlers.popitem())


def read_checkpoint(
    path: str | os.PathLike[str],
) -> tuple[dict[str, Any] | None, dict[str, Tensor]]:
    """Read the header and the tensors of a checkpoint. The header is None if there is no file.

    Raises
    ------
    CheckpointError
        If the file cannot be read, or is not a complete checkpoint.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None, {}
    except OSError as error:
        raise CheckpointError(
            f"The checkpoint {str(path)!r} cannot be read: {error.strerror}. "
            "Set 'checkpoint' to a file in a folder that can be read and written."
        ) from error
    try:
        return _unpack(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"The file {str(path)!r} is not a complete checkpoint: {error}. "
            "Remove it to train from the beginning, or set 'checkpoint' to another file."
        ) from error


def read_seed(path: str | os.PathLike[str]) -> int | None:
    """Return the seed of the fit that a checkpoint belongs to. None if there is no file."""
    header, _ = read_checkpoint(path)
    return None if header is None else int(header["fit"]["seed"])


def _pack(header: dict[str, Any], tensors: dict[str, Tensor]) -> bytes:
    text = json.dumps(header)
    metadata = {"header": text, "checksum": str(_checksum(text, tensors))}
    return safetensors.torch.save({name: t.contiguous() for name, t in tensors.items()}, metadata)


def _unpack(content: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    tensors = safetensors.torch.load(content)
    # The library returns only the tensors. The header is before them, after its length.
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    if int(metadata["checksum"]) != _checksum(metadata["header"], tensors):
        raise ValueError("its checksum does not match its content")
    header: dict[str, Any] = json.loads(metadata["header"])
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
    return header, tensors


def _checksum(text: str, tensors: dict[str, Tensor]) -> int:
    value = zlib.crc32(text.encode())
    for name in sorted(tensors):
        value = zlib.crc32(tensors[name].cpu().contiguous().numpy().data, value)
    return value


def _first_difference(there: dict[str, Any], here: dict[str, Any]) -> str:
    for key in {**here, **there}:  # in the order of `here`: parameters before digests
        if there.get(key) != here.get(key):
            return f"its {key} is {there.get(key)}, that of this fit is {here.get(key)}"
    return "some of its parts differ"
