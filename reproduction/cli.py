"""The command line: ``python -m reproduction <command>``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from reproduction.datasets import DatasetError, find_row, load, rows
from reproduction.files import write_text_atomically
from reproduction.folders import HERE, Folders
from reproduction.protocol import (
    METHODS,
    ProtocolError,
    check_methods,
    find_protocol,
    plan,
    protocols,
)
from reproduction.workers import Workers
from studies.shards import ShardError, take_shard

app = typer.Typer(
    help="Reproduce the experiments of Automated Spectral Kernel Learning.",
    no_args_is_help=True,
    add_completion=False,
)
datasets_app = typer.Typer(help="List the data sets, or verify the copies found.")
app.add_typer(datasets_app, name="datasets", no_args_is_help=True)

Data = Annotated[
    str | None,
    typer.Option("--data", envvar="ASKL_DATA", help="Folder with <data set>.npz files."),
]
Results = Annotated[Path, typer.Option("--results", help="Folder of records and tuned settings.")]
ProtocolName = Annotated[str, typer.Option("--protocol", help="A table of protocols.toml.")]
DatasetNames = Annotated[
    list[str] | None, typer.Option("--dataset", help="May be repeated; the paper's twelve.")
]
MethodNames = Annotated[
    list[str] | None, typer.Option("--method", help="May be repeated; all five.")
]
Shard = Annotated[str, typer.Option("--shard", help="Part i/n of the work, i from 0.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes, each with one thread.")]
Backend = Annotated[str, typer.Option("--backend", help="joblib's: loky or dask.")]
Scheduler = Annotated[str | None, typer.Option("--scheduler", help="Address of a dask scheduler.")]


def _datasets(names: list[str] | None) -> list[str]:
    return [find_row(name).name for name in names or []] or [
        name for name, row in rows().items() if row.in_paper
    ]


def _methods(names: list[str] | None) -> list[str]:
    check_methods(names or [])
    return list(names or METHODS)


@datasets_app.command("list")
def list_datasets() -> None:
    """List the data sets and what is known of them."""
    table = Table("data set", "task", "rows", "columns", "classes or range", "source")
    for row in rows().values():
        kind = len(row.class_counts) if row.class_counts else row.target_range
        number = row.source.get("openml")
        source = f"OpenML {number}" if number else "scikit-learn"
        table.add_row(
            row.name, row.task, str(row.n_samples), str(row.n_features), str(kind), source
        )
    Console().print(table)


@datasets_app.command("verify")
def verify_datasets(data: Data = None, dataset: DatasetNames = None) -> None:
    """Load every data set and compare it with its row; fail where one differs."""
    failed = False
    for name in _datasets(dataset):
        try:
            found = load(name, data)
        except DatasetError as error:
            failed = True
            typer.echo(f"{name}: {error}")
            continue
        same = found.checksum == found.row.checksum
        order = "rows in the recorded order" if same else "rows in ANOTHER order than recorded"
        typer.echo(f"{name}: as expected, {order} ({found.checksum})")
    raise typer.Exit(int(failed))


@app.command()
def tune(
    protocol: ProtocolName = "corrected",
    dataset: DatasetNames = None,
    method: MethodNames = None,
    data: Data = None,
    results: Results = HERE,
    shard_of: Shard = "0/1",
    jobs: Jobs = 1,
    backend: Backend = "loky",
    scheduler: Scheduler = None,
) -> None:
    """Tune hyperparameters where that is not done yet; shards are of data sets."""
    from reproduction.tune import Cell, tune_all  # optuna takes a second to import

    find_protocol(protocol)
    ordered = sorted(_datasets(dataset), key=lambda name: find_row(name).work)
    mine = take_shard(ordered, shard_of)
    cells = [Cell(protocol, name, each) for name in mine for each in _methods(method)]
    n_tuned = tune_all(cells, Folders(results), data, Workers(jobs, backend, scheduler))
    typer.echo(f"{n_tuned} of {len(cells)} cells tuned, the others were before.")


@app.command()
def run(
    protocol: ProtocolName = "corrected",
    dataset: DatasetNames = None,
    method: MethodNames = None,
    splits: Annotated[
        int | None, typer.Option("--splits", help="How many; the protocol's number.")
    ] = None,
    data: Data = None,
    results: Results = HERE,
    shard_of: Shard = "0/1",
    jobs: Jobs = 1,
    backend: Backend = "loky",
    scheduler: Scheduler = None,
) -> None:
    """Run the trials that have no record yet, cheap data sets first."""
    from reproduction.run import run_all

    n_splits = splits or find_protocol(protocol).n_splits
    trials = plan(protocol, _datasets(dataset), _methods(method), range(n_splits))
    mine = take_shard(trials, shard_of)
    n_run = run_all(mine, Folders(results), data, Workers(jobs, backend, scheduler))
    typer.echo(f"{n_run} of {len(mine)} trials run, the others were before.")


@app.command()
def compact(protocol: ProtocolName = "corrected", results: Results = HERE) -> None:
    """Move the trials that have been run to the tables of records, which are committed."""
    find_protocol(protocol)
    folders = Folders(results)
    n_moved = sum(
        folders.store(protocol, dataset).compact()
        for dataset in folders.recorded_datasets(protocol)
    )
    typer.echo(f"{n_moved} trials moved to {results / 'records' / protocol}.")


@app.command()
def status(
    protocol: ProtocolName = "corrected",
    dataset: DatasetNames = None,
    results: Results = HERE,
) -> None:
    """Show what is tuned, done, failed, outdated (run with other settings) and missing."""
    from reproduction.status import dataset_status

    find_protocol(protocol)
    columns = ("data set", "tuned", "done", "failed", "outdated", "missing", "hours", "commits")
    table = Table(*columns, title=f"{protocol}: {protocols()[protocol].description}")
    for name in _datasets(dataset):
        found = dataset_status(protocol, name, Folders(results))
        counts = (found.done, found.failed, found.outdated, found.missing)
        table.add_row(
            name,
            f"{found.n_tuned}/{len(METHODS)}",
            *map(str, counts),
            f"{found.hours:.2f}",
            " ".join(found.commits),
        )
    Console().print(table)


@app.command()
def table(
    protocol: ProtocolName = "corrected",
    results: Results = HERE,
    style: Annotated[str, typer.Option("--format", help="markdown, latex or csv.")] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", help="Write to this file; printed by default.")
    ] = None,
) -> None:
    """Show the table of all records there are, beside the published figures."""
    from reproduction.tables import FORMATS

    if style not in FORMATS:
        raise ProtocolError(f"There is no format {style!r}. Choose from: {', '.join(FORMATS)}.")
    text = FORMATS[style](_records(protocol, Folders(results)))
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text_atomically(output, text)


@app.command()
def figures(
    protocol: ProtocolName = "corrected",
    results: Results = HERE,
    style: Annotated[str, typer.Option("--format", help="svg, png or pdf.")] = "svg",
) -> None:
    """Draw the curves and the ranks of all records there are."""
    from reproduction.figures import make_figures

    folders = Folders(results)
    for path in make_figures(_records(protocol, folders), folders.figures(protocol), style):
        typer.echo(path)


def _records(protocol: str, folders: Folders) -> list[dict[str, object]]:
    from reproduction.records import read_records

    find_protocol(protocol)
    records = list(read_records(protocol, folders))
    if not records:
        raise ProtocolError(
            f"There are no records of the {protocol!r} protocol in {folders.results / 'records'}. "
            f"Run `python -m reproduction run --protocol {protocol}` first."
        )
    return records


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; print a mistake of the user as a sentence, without a traceback."""
    try:
        app(arguments)
    except (DatasetError, ProtocolError, ShardError) as error:
        sys.exit(f"Error: {error}")
