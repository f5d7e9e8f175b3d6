"""``askl datasets``: tables to try things on, embedded in scikit-learn or from OpenML."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Lines
from sklearn import datasets as embedded

from askl.cli.commands.predict import open_output
from askl.cli.console import Screen
from askl.cli.errors import Commands
from askl.cli.files import check_destination, require
from askl.cli.options import Data, Json, Output, Quiet, examples
from askl.cli.tabular.tables import named_blocks, open_table
from askl.errors import AsklError, TableError

EMBEDDED: dict[str, Callable[..., Any]] = {
    "digits": embedded.load_digits,
    "breast_cancer": embedded.load_breast_cancer,
    "wine": embedded.load_wine,
    "iris": embedded.load_iris,
    "diabetes": embedded.load_diabetes,
}

app = typer.Typer(cls=Commands, help="Tables to try things on.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A name of `askl datasets list`, or openml:ID.", show_default=False)
]


def load_embedded(name: str) -> Any:
    """Load a data set by name, or say which ones there are."""
    if name not in EMBEDDED:
        raise AsklError(f"There is no data set {name!r}. Choose one of {', '.join(EMBEDDED)}.")
    return EMBEDDED[name]


def load_frame(name: str) -> Any:
    """Load a data set as a pandas table, its target as the last column, ``target``."""
    require("pandas", "arrow")
    if not name.startswith("openml:"):
        return load_embedded(name)(as_frame=True).frame
    number = name.removeprefix("openml:")
    if not number.isdigit():
        raise AsklError(f"An OpenML data set is named by its number, openml:61. Got {name!r}.")
    try:
        bunch = embedded.fetch_openml(data_id=int(number), as_frame=True, parser="auto")
    except (OSError, ValueError) as error:
        raise AsklError(
            f"The data set {name} could not be fetched: {error}. "
            "Check the number and the network; what was fetched once is kept."
        ) from error
    frame = bunch.data.copy()
    frame["target"] = bunch.target
    return frame


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
        expected = frame.iloc[start : start + len(block.X)]
        if not _same(block.X, expected):
            raise TableError(f"{data} differs from {name} after row {start + 1}. Fetch it again.")
        start += len(block.X)
    if start != len(frame):
        raise TableError(f"{data} has {start:,} rows, {name} {len(frame):,}. Fetch it again.")
    screen.result({"verified": True, "n_rows": start}, f"{data} holds {name}, {start:,} rows.")


def _same(found: Any, expected: Any) -> bool:
    """Compare tables by value; texts and categories are one."""
    if len(found) != len(expected):
        return False
    for name in expected.columns:
        left, right = found[name], expected[name].reset_index(drop=True)
        numeric = left.dtype.kind in "iufb" and right.dtype.kind in "iufb"
        if not numeric:
            left, right = left.astype(str), right.astype(str)
        same = (left.to_numpy() == right.to_numpy()) | (left.isna() & right.isna()).to_numpy()
        if not same.all():
            return False
    return True
