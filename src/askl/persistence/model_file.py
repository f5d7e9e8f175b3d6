"""The bytes of a model file: safetensors, with a JSON header and a checksum over every bit.

The metadata has one entry, ``askl``, a JSON text whose first key is the checksum: the SHA-256 of
the file with zeros for the 64 digits of the checksum itself. So its place is known before anything
is parsed, and it covers every bit of the file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from safetensors.numpy import save as save_tensors

from askl._typing import Array
from askl.errors import ModelFileError
from askl.persistence.atomic_write import write_atomic

SCHEMA = 1
MAX_HEADER_BYTES = 2**25
# Python's objects are larger than their JSON text: their number is bounded as well.
MAX_VALUES = 500_000
_START = b'{"__metadata__":{"askl":"{\\"checksum\\":\\"'
_CHECKSUM = slice(8 + len(_START), 8 + len(_START) + 64)
_NO_CHECKSUM = "0" * 64
_BLOCK_BYTES = 2**16
_DTYPES = {
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    "BOOL": np.dtype("?"),
}


def pack(header: dict[str, Any], tensors: dict[str, Array]) -> bytearray:
    """Make the content of a model file."""
    full = {"checksum": _NO_CHECKSUM, "schema": SCHEMA, **header}
    text = json.dumps(full, separators=(",", ":"), allow_nan=False)
    content = bytearray(save_tensors(tensors, metadata={"askl": text}))
    _check_size(int.from_bytes(content[:8], "little"), text, "This model")
    content[_CHECKSUM] = hashlib.sha256(content).hexdigest().encode()
    return content


def write_model(path: Any, content: bytes | bytearray) -> Path:
    """Write a file in one step.

    Raises
    ------
    ModelFileError
        If it cannot be written; the message has a remedy.
    """
    final = Path(os.path.abspath(path))
    try:
        write_atomic(final, content)
    except OSError as error:
        raise ModelFileError(
            f"{path} could not be written: {error.strerror or error}. What was there before, if "
            "anything, is unchanged. Choose a folder that can be written to and has room."
        ) from error
    return final


def read(path: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the header and the tensors of a file, and check its checksum."""
    return _read(path, with_tensors=True)


def read_header(path: Any) -> dict[str, Any]:
    """Read the description of the model in a model file, without its tensors.

    The checksum is not checked: it covers the tensors as well.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    dict
        ``kind``, ``parameters``, ``classes``, ``features``, ``preprocessing``, ``training``,
        ``versions``, ``extra``, ``schema`` and ``checksum``.
    """
    header, _ = _read(path, with_tensors=False)
    return {key: value for key, value in header.items() if key != "state"}


def _read(path: Any, *, with_tensors: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        with open(path, "rb") as file:
            start = _read_start(file, path)
            if with_tensors:
                _compare_checksum(file, path, start)
            header, table = _parse(start, path)
            file.seek(len(start))
            return header, _read_tensors(file, table) if with_tensors else {}
    except OSError as error:
        raise ModelFileError(f"{path} could not be read: {error.strerror or error}.") from error


def _read_start(file: IO[bytes], path: Any) -> bytes:
    """Read everything before the tensors."""
    length = 8 + int.from_bytes(file.read(8), "little")
    file.seek(0)
    start = file.read(length) if length <= min(_size(file), MAX_HEADER_BYTES) else b""
    if not start.startswith(_START, 8):
        raise ModelFileError(
            f"{path} is not a model file, or its beginning is damaged. "
            "Give a file that askl.save wrote."
        )
    return start


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _compare_checksum(file: IO[bytes], path: Any, start: bytes) -> None:
    """Compare the checksum with that of the start of the file and of what follows."""
    view = memoryview(start)
    digest = hashlib.sha256(view[: _CHECKSUM.start])
    digest.update(_NO_CHECKSUM.encode())
    digest.update(view[_CHECKSUM.stop :])
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
    if digest.hexdigest().encode() != start[_CHECKSUM]:
        raise ModelFileError(
            f"{path} was changed or damaged: its content does not have its checksum. "
            "Copy it again from where it came, or save the model again."
        )


def _parse(start: bytes, path: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header, whose schema must be known, and the table of tensors."""
    try:
        table = json.loads(start[8:])
        text = table.pop("__metadata__")["askl"]
        _check_size(len(start), text, str(path))
        header = json.loads(text)
        schema = header["schema"]
    except ModelFileError:
        raise
    except Exception as error:  # no JSON, no UTF-8, nested too deep, of another form
        raise ModelFileError(
            f"{path} has a damaged header: {str(error)[:200]}. Save the model again."
        ) from error
    if schema != SCHEMA:
        raise ModelFileError(
            f"{path} is of schema version {schema!r}; askl {version('askl')} reads version "
            f"{SCHEMA}. Install the askl that wrote it or a newer one, or save the model again."
        )
    return header, table


def _check_size(n_bytes: int, text: str, name: str) -> None:
    """Refuse headers whose objects would need far more memory than their text."""
    n_values = sum(text.count(mark) for mark in ",[{")
    if n_bytes > MAX_HEADER_BYTES or n_values > MAX_VALUES:
        raise ModelFileError(
            f"{name} has a header of {n_bytes} bytes and up to {n_values} values; a model file "
            f"has at most {MAX_HEADER_BYTES} and {MAX_VALUES}. Use fewer or shorter categories."
        )


def _read_tensors(file: IO[bytes], table: dict[str, Any]) -> dict[str, Array]:
    """Read the tensors, which must fill the rest of the file without gaps.

    Memory is allocated only for tensors that the file is long enough for.
    """
    start, tensors = file.tell(), {}
    try:
        entries = sorted(table.items(), key=lambda item: item[1]["data_offsets"])
        for name, entry in entries:
            dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
            n_bytes = math.prod(shape) * dtype.itemsize
            place = file.tell() - start
            if min(shape, default=0) < 0 or entry["data_offsets"] != [place, place + n_bytes]:
                raise ValueError("its shape and its place disagree")
            if n_bytes > _size(file) - file.tell():
                raise ValueError("it is longer than the file")
            # Memory from torch, aligned as its own: products depend on that in the last bit.
            memory = torch.empty(n_bytes, dtype=torch.uint8).numpy()
            if file.readinto(memory) != n_bytes:  # type: ignore[attr-defined]
                raise ValueError("the file has become shorter")
            tensors[name] = memory.view(dtype).reshape(shape)
    except Exception as error:
        raise ModelFileError(
            f"{file.name} has a bad tensor: {str(error)[:200]}. Save the model again."
        ) from error
    if file.tell() != _size(file):
        raise ModelFileError(f"{file.name} does not end after its tensors. Save the model again.")
    return tensors
