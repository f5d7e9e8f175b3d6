"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomic(path: Path, content: bytes | bytearray) -> None:
    """Write a file so that whoever looks, at any time, sees the old one or the new one.

    The temporary file beside it has a fixed name: one that a killed process left is written
    over by the next, and never piles up.

    Raises
    ------
    OSError
        The old file, if any, is then as it was.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        _flush_folder(path.parent)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def _flush_folder(folder: Path) -> None:
    """Make a renaming outlast a power cut, where folders can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
