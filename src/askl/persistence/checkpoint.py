"""Checkpoints: the whole state of a fit in one file that is always whole."""

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
# Parameters that change neither the model nor the way to it.
IRRELEVANT = frozenset(
    {
        "callback",
        "checkpoint",
        "checkpoint_every",
        "device",
        "distributed",
        "n_threads",
        "random_state",  # its seed is what counts
        "verbose",
    }
)
SAMPLED_ROWS = 1024


def digest_rows(*arrays: Any) -> str:
    """Hash the shapes, and some rows spread evenly, of arrays that are as long as each other."""
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            continue
        digest.update(f"{array.shape} {array.dtype}".encode())
        n_rows = array.shape[0]
        rows = array[np.linspace(0, n_rows - 1, min(n_rows, SAMPLED_ROWS)).astype(np.int64)]
        dense: Array = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        digest.update(np.ascontiguousarray(dense).tobytes())
    return digest.hexdigest()[:32]


def digest_tensors(tensors: dict[str, Tensor]) -> str:
    """Hash tensors that are few."""
    digest = hashlib.sha256()
    for name, tensor in tensors.items():
        digest.update(name.encode())
        digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()[:32]


def describe_parameters(parameters: dict[str, Any]) -> dict[str, str]:
    """Write down the parameters that a fit depends on."""
    return {name: str(value) for name, value in parameters.items() if name not in IRRELEVANT}


class Checkpoint:
    """A file that keeps the state of one fit; a checkpointer for :func:`askl.learning.train`.

    Parameters
    ----------
    path : str or Path
    fit : dict of str
        What the fit is one of: its parameters, seed, data and first model. A file of another
        fit is refused.
    every : int
        Iterations between two writes.
    group : ProcessGroup, optional
        Processes that share the fit. The first reads for all, and is the only one to write.
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
        """Write the state, and then obey a signal that came since the last time."""
        if self.writes:
            self._write(state)
        self.next_iteration = state.numbers["iterations"] + self.every
        # An error on its way out ends the fit as well, and has something to say.
        if self._signal is not None and not failing:
            self._obey()

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
                f"The checkpoint {str(self.path)!r} cannot be written: {error.strerror}. A file "
                "from before is as it was, and the next fit goes on from it. Make room, or name "
                "a file in a folder that can be written to in 'checkpoint'."
            ) from error

    def _read(self) -> RunState | None:
        header, tensors = read_checkpoint(self.path)
        if header is None:
            return None
        if header["fit"] != self.fit:
            raise CheckpointError(
                f"The checkpoint {str(self.path)!r} is of another fit: "
                f"{_first_difference(header['fit'], self.fit)}. Remove the file to train from "
                "the start, or name another one in 'checkpoint'."
            )
        return RunState(tensors, header["numbers"])

    @contextmanager
    def signals_deferred(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM wait, while the block runs, for the state to be written.

        A second signal does not wait. Nothing changes outside the main thread, where Python
        handles no signals, nor for signals that are ignored.
        """
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._handlers[number] = signal.signal(number, self._defer)
        try:
            yield
        finally:
            self._restore_handlers()
        if self._signal is not None:  # it came after the last write
            self._obey()

    def _defer(self, number: int, frame: object) -> None:
        if self._signal is not None:
            self._obey()
        else:
            self._signal, self.next_iteration = number, 0

    def _obey(self) -> None:
        """Do what the signal would have done without us."""
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
    """Read the header and the tensors of a checkpoint; there is no header without a file.

    Raises
    ------
    CheckpointError
        Where there is a file, but not a whole checkpoint.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None, {}
    except OSError as error:
        raise CheckpointError(
            f"The checkpoint {str(path)!r} cannot be read: {error.strerror}. "
            "Name a file in a folder that can be read and written in 'checkpoint'."
        ) from error
    try:
        return _unpack(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"The file {str(path)!r} is not a whole checkpoint: {error}. "
            "Remove it to train from the start, or name another one in 'checkpoint'."
        ) from error


def read_seed(path: str | os.PathLike[str]) -> int | None:
    """Read the seed of the fit that a checkpoint is of, where there is one."""
    header, _ = read_checkpoint(path)
    return None if header is None else int(header["fit"]["seed"])


def _pack(header: dict[str, Any], tensors: dict[str, Tensor]) -> bytes:
    text = json.dumps(header)
    metadata = {"header": text, "checksum": str(_checksum(text, tensors))}
    return safetensors.torch.save({name: t.contiguous() for name, t in tensors.items()}, metadata)


def _unpack(content: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    tensors = safetensors.torch.load(content)
    # The library hands out tensors only; the header stands before them, after its length.
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    if int(metadata["checksum"]) != _checksum(metadata["header"], tensors):
        raise ValueError("its checksum is wrong")
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
    return "its parts differ"
