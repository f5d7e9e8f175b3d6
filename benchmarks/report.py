"""What the programs share: options, progress, tables and saved results."""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

from studies.store import Store

RESULTS = Path(__file__).parent / "results"
BUILD = Path(__file__).parents[1] / "build"

Item = TypeVar("Item")


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    """Start a parser with the options every program has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument(
        "--output",
        type=Path,
        help="folder of the results (benchmarks/results, or a temporary one with --quick)",
    )
    return parser


def show_progress(items: Sequence[Item], title: str) -> Iterable[Item]:
    """Show a bar while items are worked on, on standard error so that output can be piped."""
    return track(items, title, console=Console(stderr=True))


def make_table(title: str, columns: Sequence[str]) -> Table:
    """Make a table whose first column holds names, and the others figures."""
    table = Table(title=title)
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position else "left", no_wrap=position == 0)
    return table


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Make a table in Markdown whose first column holds names, and the others figures."""
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine_line(results: Mapping[str, Any]) -> str:
    """Describe the machine of a result in a sentence."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"Measured on {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gb']} GB; Python {machine['python']}, {versions}."
    )


def figure(value: float | None, digits: int = 2) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def verdict(passed: bool | None, limit: str = "") -> str:
    """Write a limit and whether it is kept; nothing where there is none."""
    if passed is None:
        return ""
    return f"{limit} [green]pass[/]" if passed else f"{limit} [red]fail[/]"


def output_folder(options: argparse.Namespace) -> Path:
    """Make the folder of the results; a quick run never overwrites those of a real one."""
    folder: Path = options.output or (
        Path(tempfile.mkdtemp(prefix="askl-")) if options.quick else RESULTS
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def study_store(study: str, key: tuple[str, ...], results: Path = RESULTS) -> Store:
    """Return where the records of a study are.

    Trials that are not in the committed tables yet are in build/; those of another folder of
    results are in that folder.
    """
    build = BUILD if results.resolve() == RESULTS.resolve() else results
    return Store(results / f"{study}.jsonl", build / study, key, shared=("machine",))


def save(folder: Path, name: str, results: dict[str, object]) -> None:
    """Write results as ``<name>.json``, and print where."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(results, indent=2) + "\n")
    Console(stderr=True).print(f"Saved {path}")
