"""Reading tables, and writing files so that nobody ever reads half of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def write_atomically(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write to a temporary file beside ``path``, flush it to the disk, and rename it.

    A process killed at any moment leaves the old file, the new one or none, never a part.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def write_text_atomically(path: Path, text: str) -> None:
    """Write text in UTF-8 by :func:`write_atomically`."""
    write_atomically(path, lambda file: file.write(text.encode("utf-8")))


def _flush_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where folders can be opened (not on Windows)."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
