"""Files to read and to write, checked before the work starts."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from askl.errors import AsklError, TableError

STANDARD_OUTPUT = Path("-")


def require(module: str, extra: str) -> Any:
    """Import a library of an extra, or raise and tell how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        library = module.split(".")[0]
        raise AsklError(
            f"This needs {library}, which is not installed. "
            f"Install it with: pip install 'askl[{extra}]'"
        ) from error


def check_file(path: Path) -> None:
    """Raise if a path is not that of a regular file with content; a pipe might never end."""
    if not path.exists():
        raise TableError(f"There is no file {str(path)!r}. Check the path.")
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder. Name a file in it.")
    if not path.is_file():
        raise TableError(f"{str(path)!r} is not a regular file. Write its content to one first.")
    if path.stat().st_size == 0:
        raise TableError(f"{str(path)!r} is empty.")


def check_destination(path: Path, *sources: Path) -> None:
    """Raise if a file cannot be written, before hours are spent on its content."""
    if path == STANDARD_OUTPUT:
        return
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise AsklError(f"{str(path)!r} is not a file that can be replaced. Name another output.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise AsklError(f"There is no folder {str(folder)!r}. Create it, or name another output.")
    if not os.access(folder, os.W_OK):
        raise AsklError(f"The folder {str(folder)!r} cannot be written to. Name another output.")
    if any(source.exists() and path.resolve() == source.resolve() for source in sources):
        raise AsklError(f"The output {str(path)!r} would replace an input. Name another output.")
