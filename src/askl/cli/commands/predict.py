"""``askl predict``: predictions for a table of any size, block by block."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import TextColumn

from askl.cli.console import Screen
from askl.cli.files import STANDARD_OUTPUT, check_destination
from askl.cli.models.inputs import blocks_for
from askl.cli.models.predictions import choose_outputs, needs_quotes
from askl.cli.models.saved_model import SavedModel, load_model
from askl.cli.options import Data, Json, Model, Output, Quiet
from askl.cli.tabular.limits import LIMITS, Limits
from askl.cli.tabular.output_tables import Columns, open_output
from askl.cli.tabular.tables import open_table
from askl.errors import TableError


def predict(
    model: Model,
    data: Data,
    output: Output,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write a column for each class.")
    ] = False,
    intervals: Annotated[
        float | None,
        typer.Option(help="Write the ends of intervals that hold this share of rows, such as 0.9."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict every row of a table. Columns are found by name.

    The output is CSV, Parquet or Arrow by its suffix, and CSV on standard output for ``-o -``.
    """
    if intervals is not None and not 0.0 < intervals < 1.0:
        raise typer.BadParameter(f"--intervals must be between 0 and 1. Got {intervals:g}.")
    if as_json and output == STANDARD_OUTPUT:
        raise typer.BadParameter("--json and -o - both write to standard output. Drop one.")
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, data, model)
    saved = load_model(screen, model)
    outputs = choose_outputs(saved.model, probabilities=probabilities, intervals=intervals)
    n_rows = write_predictions(screen, saved, data, output, outputs)
    record = {"output": str(output), "n_rows": n_rows}
    if output != STANDARD_OUTPUT:
        screen.result(record, f"{n_rows:,} predictions: {output.resolve()}")


def write_predictions(
    screen: Screen,
    saved: SavedModel,
    data: Path,
    output: Path,
    outputs: Callable[[Any], Columns],
    *,
    limits: Limits = LIMITS,
) -> int:
    """Predict block by block, and return the number of rows."""
    table = open_table(data, limits=limits)
    n_rows = 0
    with (
        screen.progress(TextColumn("{task.completed:,} rows")) as progress,
        open_output(output, quotes=needs_quotes(saved.model)) as write,
    ):
        task = progress.add_task("Predicting", total=getattr(table, "n_rows", None))
        for X, _ in blocks_for(screen, saved, table):
            write(outputs(X))
            n_rows += X.shape[0]
            progress.update(task, completed=n_rows)
        if n_rows == 0:
            raise TableError(f"{data} has no rows to predict.")
        progress.update(task, total=n_rows)
    return n_rows
