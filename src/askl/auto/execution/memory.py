"""Results of trainings that are kept on disk, under their arguments and the library's code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from joblib import Memory, delayed

# What a training runs: other code here means other models.
SOURCE_PACKAGES = ("spectral", "learning", "preprocessing", "estimators", "auto")
SOURCE = Path(__file__).parents[2]


@cache
def digest_source(folder: Path = SOURCE) -> str:
    """Return a digest of the source files that decide what a training gives.

    Parameters
    ----------
    folder : Path
        That of the package.
    """
    digest = hashlib.sha256()
    for package in SOURCE_PACKAGES:
        for path in sorted((folder / package).rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def run(code: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; ``code`` is there to be part of what a result is kept under."""
    return function(*arguments)


def remembered(function: Callable[..., Any], memory: Memory | None) -> Callable[..., Any]:
    """Return a function that makes a job for joblib, and looks up first what is kept.

    Parameters
    ----------
    function : callable
    memory : joblib.Memory or None
        None keeps nothing.
    """
    if memory is None:
        return lambda *arguments: delayed(function)(*arguments)
    make = delayed(memory.cache(run))
    return lambda *arguments: make(digest_source(), function, *arguments)


def open_memory(memory: str | Memory | None) -> Memory | None:
    """Return a store of results: that of a folder, the user's own, or none."""
    return Memory(memory, verbose=0) if isinstance(memory, str) else memory
