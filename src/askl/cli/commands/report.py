"""``askl report``: an HTML page about a model on a table."""

from __future__ import annotations

from typing import Annotated

import typer

from askl.cli.console import Screen
from askl.cli.files import check_destination
from askl.cli.models.inputs import blocks_for, choose_target, with_target
from askl.cli.models.saved_model import SavedModel, load_model
from askl.cli.options import Data, Json, Model, Output, Quiet, Target
from askl.cli.tabular.tables import Block, Table, open_table
from askl.errors import TableError
from askl.insight import write_report


def report(
    model: Model,
    data: Data,
    output: Output,
    target: Target = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write an HTML page about a model. Use a table that it was not fitted to."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, data, model)
    saved = load_model(screen, model)
    table = open_table(data)
    block = _first_rows(screen, saved, table, choose_target(saved, table, target))
    with screen.warnings():
        write_report(saved.model, block.X, block.y, output, title=title)
    screen.result({"report": str(output.resolve())}, f"Report: {output.resolve()}")


def _first_rows(screen: Screen, saved: SavedModel, table: Table, target: str | None) -> Block:
    """Read the first block of a table: figures and bounds of more rows would look the same."""
    blocks = (with_target(block, table) for block in blocks_for(screen, saved, table, target))
    first = next(blocks, None)
    if first is None or first.X.shape[0] == 0:
        raise TableError(f"{table.path} has no row with a target.")
    if next(blocks, None) is not None:
        screen.note(f"The report is about the first {first.X.shape[0]:,} rows.")
    return first
