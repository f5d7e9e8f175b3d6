"""Reading TOML files, and writing text in one step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askl.persistence import write_atomic

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def write_text_atomically(path: Path, text: str) -> None:
    """Write text in UTF-8 by :func:`askl.persistence.write_atomic`, in a folder made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, text.encode("utf-8"))
