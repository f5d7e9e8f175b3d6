"""``askl report``, ``askl inspect`` and ``askl export``: a model shown, told and handed on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Lines

from askl.cli.commands.evaluate import target_of, with_target
from askl.cli.console import Screen, plain
from askl.cli.files import check_destination, check_file
from askl.cli.models import blocks_for, load_model
from askl.cli.options import Data, Json, Model, Output, Quiet, Target
from askl.cli.tabular.tables import Block, Table, open_table
from askl.errors import TableError
from askl.insight import write_report
from askl.persistence import read_header, replacing


def report(
    model: Model,
    data: Data,
    output: Output,
    target: Target = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write an HTML page about a model on a table, best one it was not fitted to."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, data, model)
    fitted = load_model(screen, model)
    table = open_table(data)
    block = _first_rows(screen, fitted, table, target_of(fitted, table, target))
    with screen.warnings():
        write_report(fitted, block.X, block.y, output, title=title)
    screen.result({"report": str(output.resolve())}, f"Report: {output.resolve()}")


def _first_rows(screen: Screen, model: Any, table: Table, target: str | None) -> Block:
    """Read the first block of a table; pictures and bounds of more rows say no more."""
    blocks = (with_target(block, table) for block in blocks_for(screen, model, table, target))
    first = next(blocks, None)
    if first is None or first.X.shape[0] == 0:
        raise TableError(f"{table.path} has no row with a target.")
    if next(blocks, None) is not None:
        screen.note(f"The report is of the first {first.X.shape[0]:,} rows.")
    return first


def inspect(model: Model, as_json: Json = False, quiet: Quiet = False) -> None:
    """Say what a model file holds, without loading the model."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_file(model)
    header = read_header(model)
    lines = Lines(title=str(model), box=SIMPLE_HEAD, show_header=False)
    for name, value in _flat(plain(header)):
        lines.add_row(name, value if len(value) <= 200 else f"{value[:200]}...")
    screen.result(header, lines)


def _flat(record: dict[str, Any], above: str = "") -> list[tuple[str, str]]:
    """List the entries of nested records, each named by its path."""
    rows: list[tuple[str, str]] = []
    for name, value in record.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{above}{name}.")
        elif value is not None:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            rows.append((above + name, text))
    return rows


def export(
    model: Model,
    output: Annotated[Path, typer.Argument(help="ONNX file to write.", show_default=False)],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as ONNX, for programs without Python."""
    from askl.interop import export_onnx  # needs a library of its own extra

    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, model)
    fitted = load_model(screen, model)
    with replacing(output) as temporary, screen.warnings():
        export_onnx(fitted, temporary)
    screen.result({"onnx": str(output.resolve())}, f"ONNX: {output.resolve()}")
