"""``askl inspect``: what a model file holds."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from askl.cli.console import Screen, plain
from askl.cli.files import check_file
from askl.cli.options import Json, Model, Quiet
from askl.persistence import read_header

# Longer texts are cut, and records of more entries take one line.
MOST_CHARACTERS = 200
MOST_ENTRIES = 50


def inspect(model: Model, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show what a model file holds, without loading the model."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_file(model)
    header = read_header(model)
    lines = Table(title=str(model), box=SIMPLE_HEAD, show_header=False)
    for name, value in flatten(plain(header)):
        is_long = len(value) > MOST_CHARACTERS
        lines.add_row(name, f"{value[:MOST_CHARACTERS]}..." if is_long else value)
    screen.result(header, lines)


def flatten(record: dict[str, Any], above: str = "") -> list[tuple[str, str]]:
    """List the entries of nested records, each named by its path.

    Examples
    --------
    >>> flatten({"kind": "model", "training": {"epoch": 3, "classes": ["a", "b"], "score": None}})
    [('kind', 'model'), ('training.epoch', '3'), ('training.classes', 'a, b')]
    """
    rows: list[tuple[str, str]] = []
    for name, value in record.items():
        if isinstance(value, dict) and len(value) <= MOST_ENTRIES:
            rows += flatten(value, f"{above}{name}.")
        elif value is not None:
            rows.append((above + name, _text(value)))
    return rows


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}: {entry}" for name, entry in value.items()]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
