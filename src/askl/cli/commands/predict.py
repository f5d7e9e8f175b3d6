"""``askl predict``: predictions for a table of any size, block by block."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from csv import writer as csv_lines
from pathlib import Path
from typing import IO, Annotated, Any

import numpy as np
import typer
from rich.progress import TextColumn
from scipy.special import ndtri

from askl._typing import Array
from askl.cli.console import Screen
from askl.cli.files import STANDARD_OUTPUT, check_destination, require
from askl.cli.models import blocks_for, load_model
from askl.cli.options import Data, Json, Model, Output, Quiet
from askl.cli.tabular.columns import kind_of
from askl.cli.tabular.tables import open_table
from askl.errors import AsklError, TableError
from askl.persistence import replacing

Columns = dict[str, Array]
Write = Callable[[Columns], None]


def predict(
    model: Model,
    data: Data,
    output: Output,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write a column for each class.")
    ] = False,
    intervals: Annotated[
        float | None,
        typer.Option(help="Write lower and upper ends that hold this share, such as 0.9."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict every row of a table; columns are matched by name.

    The output is CSV, Parquet or Arrow by its suffix, and CSV on standard output for ``-o -``.
    """
    if intervals is not None and not 0.0 < intervals < 1.0:
        raise typer.BadParameter(f"--intervals must be between 0 and 1. Got {intervals:g}.")
    if as_json and output == STANDARD_OUTPUT:
        raise typer.BadParameter("--json and -o - both write to standard output. Drop one.")
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output, data, model)
    fitted = load_model(screen, model)
    outputs = prepare_outputs(fitted, probabilities, intervals)
    n_rows = write_predictions(screen, fitted, data, output, outputs)
    record = {"output": str(output), "n_rows": n_rows}
    if output != STANDARD_OUTPUT:
        screen.result(record, f"{n_rows:,} predictions: {output.resolve()}")


def prepare_outputs(
    model: Any, probabilities: bool, intervals: float | None
) -> Callable[[Any], Columns]:
    """Return the function from inputs to named columns of output, or say it cannot be had."""
    classifies = hasattr(model, "classes_")
    if intervals is not None:
        if classifies:
            raise AsklError("--intervals is for regression. Use --probabilities for classes.")
        return lambda X: with_intervals(model, X, intervals)
    if probabilities:
        if not classifies:
            raise AsklError("--probabilities is for classification. Use --intervals for numbers.")
        if not hasattr(model, "predict_proba"):
            raise AsklError("This model gives no probabilities. Fit one with --set loss=log.")
        return lambda X: _with_probabilities(model, X)
    return lambda X: _named("prediction", model.predict(X))


def _named(name: str, values: Array) -> Columns:
    if values.ndim == 1:
        return {name: values}
    return {f"{name}_{position}": column for position, column in enumerate(values.T)}


def _with_probabilities(model: Any, X: Any) -> Columns:
    shares = model.predict_proba(X)
    named = {
        f"probability_{label}": shares[:, position] for position, label in enumerate(model.classes_)
    }
    return {"prediction": model.classes_[shares.argmax(axis=1)], **named}


def with_intervals(model: Any, X: Any, share: float) -> Columns:
    """Predict numbers with the ends of their predictive intervals."""
    try:
        mean, deviation = model.predict(X, return_std=True)
    except TypeError as error:
        raise AsklError("This model gives no intervals. Fit with --method askl.") from error
    reach = ndtri(0.5 + 0.5 * share) * deviation
    return {
        **_named("prediction", mean),
        **_named("lower", mean - reach),
        **_named("upper", mean + reach),
    }


def write_predictions(
    screen: Screen, model: Any, data: Path, output: Path, outputs: Callable[[Any], Columns]
) -> int:
    """Predict block by block, and return the number of rows."""
    table = open_table(data)
    n_rows = 0
    with (
        screen.progress(TextColumn("{task.completed:,} rows")) as progress,
        open_output(output, _needs_quotes(model)) as write,
    ):
        task = progress.add_task("Predicting", total=getattr(table, "n_rows", None))
        for X, _ in blocks_for(screen, model, table):
            write(outputs(X))
            n_rows += X.shape[0]
            progress.update(task, completed=n_rows)
        if n_rows == 0:
            raise TableError(f"{data} has no rows to predict.")
        progress.update(task, total=n_rows)
    return n_rows


def _needs_quotes(model: Any) -> bool:
    labels = getattr(model, "classes_", np.array([]))
    return any(mark in str(label) for label in labels for mark in ',"\r\n')


@contextmanager
def open_output(path: Path, quotes: bool = True) -> Iterator[Write]:
    """Open a file for columns, to appear under its name once it is whole."""
    if path == STANDARD_OUTPUT:
        with _writer(sys.stdout.buffer, ".csv", quotes) as write:
            yield write
        return
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise AsklError(
            f"The output {str(path)!r} should end in one of {', '.join(WRITERS)}, or be - for "
            "standard output."
        )
    with (
        replacing(path) as temporary,
        temporary.open("wb") as file,
        _writer(file, suffix, quotes) as write,
    ):
        yield write


@contextmanager
def _writer(file: IO[bytes], suffix: str, quotes: bool) -> Iterator[Write]:
    """Make a writer of the first block's columns."""
    pa = require("pyarrow", "arrow")
    opened: list[Any] = []

    def write(columns: Columns) -> None:
        arrays = {name: pa.array(values) for name, values in columns.items()}
        batch = pa.RecordBatch.from_pydict(arrays)
        if not opened:
            opened.append(WRITERS[suffix](file, batch.schema, quotes))
        opened[0].write_batch(batch)

    try:
        yield write
    finally:
        for writer in opened:
            writer.close()


def _csv_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    csv = require("pyarrow.csv", "arrow")
    style = "needed" if quotes else "none"
    options = csv.WriteOptions(quoting_style=style, include_header=False)
    header = io.StringIO()
    csv_lines(header, lineterminator="\n").writerow(schema.names)
    file.write(header.getvalue().encode())
    return csv.CSVWriter(file, schema, write_options=options)


def _parquet_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    # Numbers hardly repeat: a dictionary of them costs time and saves nothing.
    texts = [field.name for field in schema if kind_of(field.type) == "text"]
    return require("pyarrow.parquet", "arrow").ParquetWriter(file, schema, use_dictionary=texts)


def _arrow_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    return require("pyarrow.ipc", "arrow").new_file(file, schema)


WRITERS: dict[str, Callable[[IO[bytes], Any, bool], Any]] = {
    ".csv": _csv_writer,
    ".parquet": _parquet_writer,
    ".arrow": _arrow_writer,
    ".feather": _arrow_writer,
}
