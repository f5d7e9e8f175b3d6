"""The ``askl`` command and its subcommands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askl.cli.compare import EMBEDDED, report_comparison, run_comparison

app = typer.Typer(
    help="Spectral kernel learning from the command line.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def askl() -> None:
    """Spectral kernel learning from the command line."""


@app.command()
def compare(
    data: Annotated[str, typer.Argument(help=f"One of {', '.join(EMBEDDED)}.")] = "digits",
    splits: Annotated[int, typer.Option(min=1, help="Random 80/20 splits.")] = 5,
    components: Annotated[int, typer.Option(min=1, help="Number of frequencies.")] = 500,
    jobs: Annotated[int, typer.Option(help="Fits at a time.")] = 2,
    report: Annotated[
        Path | None, typer.Option(help="Where to write an HTML report of one split.")
    ] = None,
) -> None:
    """Compare the five methods on one data set, with paired t-tests.

    Examples: ``askl compare``, ``askl compare diabetes --splits 10 --report diabetes.html``.
    """
    if data not in EMBEDDED:
        typer.echo(f"There is no data set {data!r}. Choose one of {', '.join(EMBEDDED)}.", err=True)
        raise typer.Exit(2)
    console = Console()
    run_comparison(console, data, n_splits=splits, n_components=components, n_jobs=jobs)
    if report is not None:
        path = report_comparison(data, report, n_components=components)
        console.print(f"Report: {path.resolve()}", soft_wrap=True)


def main() -> None:
    """Run the command line."""
    app()
