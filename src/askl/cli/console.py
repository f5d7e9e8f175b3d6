"""The output of a command: notes and progress on stderr, results on stdout or as JSON."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import rich
import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn


class Screen:
    """Where a command prints.

    Parameters
    ----------
    as_json : bool
        Print results as one JSON object.
    quiet : bool
        Print errors only, and the JSON object if asked for.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.console = Console(quiet=quiet or as_json)
        self.notes = Console(stderr=True, quiet=quiet, highlight=False)

    def note(self, text: str) -> None:
        """Print a note on stderr."""
        self.notes.print(text, style="dim", markup=False, soft_wrap=True)

    def result(self, record: Mapping[str, Any], *lines: RenderableType) -> None:
        """Print a result: the record as a JSON object, or the lines for people."""
        if self.as_json:
            typer.echo(json.dumps(plain(record), ensure_ascii=False))
        for line in lines:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def progress(self, *columns: ProgressColumn) -> Iterator[Progress]:
        """Show a progress bar while the block runs, with more columns before the time left."""
        parts = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
        with Progress(*parts, console=self.notes, disable=self.quiet) as progress:
            yield progress

    @contextmanager
    def warnings(self) -> Iterator[list[str]]:
        """Show the warnings of the block as notes, each once, and add them to the yielded list."""
        texts: list[str] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield texts
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                texts.append(text)
                self.note(f"Warning: {text}")


@contextmanager
def bars_on_stderr() -> Iterator[None]:
    """Print the progress bars of estimators on stderr while the block runs."""
    before = rich.get_console().stderr
    rich.reconfigure(stderr=True)
    try:
        yield
    finally:
        rich.reconfigure(stderr=before)


def plain(value: Any) -> Any:
    """Turn values of NumPy into values of JSON; numbers that are not finite become null.

    Examples
    --------
    >>> plain({"n": np.int64(3), "loss": float("nan"), "classes": np.array(["a"])})
    {'n': 3, 'loss': None, 'classes': ['a']}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
