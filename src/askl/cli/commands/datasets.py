"""``askl datasets``: tables to try things on."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Lines

from askl.cli.console import Screen
from askl.cli.errors import Commands
from askl.cli.files import check_destination, require
from askl.cli.options import Data, Json, Output, Quiet, examples
from askl.cli.tabular.example_data import EMBEDDED, load_frame, same_rows
from askl.cli.tabular.output_tables import open_output
from askl.cli.tabular.tables import named_blocks, open_table
from askl.errors import TableError

app = typer.Typer(cls=Commands, help="Tables to try things on.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A name of `askl datasets list`, or openml:ID.", show_default=False)
]


@app.command("list", epilog=examples("askl datasets list"))
def list_all(as_json: Json = False, quiet: Quiet = False) -> None:
    """List the embedded data sets."""
    screen = Screen(as_json=as_json, quiet=quiet)
    lines = Lines(box=SIMPLE_HEAD)
    for heading in ("name", "rows", "inputs", "task"):
        lines.add_column(heading)
    records = {}
    for name, load in EMBEDDED.items():
        bunch = load()
        task = "classification" if "target_names" in bunch else "regression"
        records[name] = {
            "rows": bunch.data.shape[0],
            "inputs": bunch.data.shape[1],
            "task": task,
        }
        lines.add_row(name, *map(str, records[name].values()))
    screen.result(records, lines)


@app.command(
    epilog=examples(
        "askl datasets fetch iris -o iris.csv", "askl datasets fetch openml:31 -o credit.parquet"
    )
)
def fetch(name: Name, output: Output, as_json: Json = False, quiet: Quiet = False) -> None:
    """Write a data set to a file; its target is the column ``target``."""
    screen = Screen(as_json=as_json, quiet=quiet)
    check_destination(output)
    frame = load_frame(name)
    write_frame(frame, output)
    record = {
        "output": str(output.resolve()),
        "n_rows": len(frame),
        "sha256": hashlib.sha256(output.read_bytes()).hexdigest(),
    }
    screen.result(record, f"{len(frame):,} rows: {output.resolve()}", f"SHA-256 {record['sha256']}")


def write_frame(frame: Any, output: Path) -> None:
    """Write a pandas table."""
    table = require("pyarrow", "arrow").Table.from_pandas(frame, preserve_index=False)
    with open_output(output) as write:
        write({name: table.column(name).combine_chunks() for name in table.column_names})


@app.command(epilog=examples("askl datasets verify iris iris.csv"))
def verify(name: Name, data: Data, as_json: Json = False, quiet: Quiet = False) -> None:
    """Check that a file holds a data set: the same columns, rows and values."""
    screen = Screen(as_json=as_json, quiet=quiet)
    frame = load_frame(name)
    table = open_table(data)
    if table.names != [str(column) for column in frame.columns]:
        raise TableError(f"{data} does not have the columns of {name}. Fetch it again.")
    start = 0
    for block in named_blocks(table, dict.fromkeys(table.names, "any")):
        if not same_rows(block.X, frame.iloc[start : start + len(block.X)]):
            raise TableError(f"{data} differs from {name} after row {start + 1}. Fetch it again.")
        start += len(block.X)
    if start != len(frame):
        raise TableError(f"{data} has {start:,} rows, {name} {len(frame):,}. Fetch it again.")
    screen.result({"verified": True, "n_rows": start}, f"{data} holds {name}, {start:,} rows.")
