"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from askl.cli.models.problem import Task

FORMATS = "CSV, TSV, svmlight (also .gz, .zst), Parquet, Arrow, Feather or npz"

Data: TypeAlias = Annotated[Path, typer.Argument(help=f"Table: {FORMATS}.", show_default=False)]
Model: TypeAlias = Annotated[
    Path, typer.Argument(help="Model file, from fit or tune.", show_default=False)
]
Output: TypeAlias = Annotated[
    Path, typer.Option("--output", "-o", help="File to write.", show_default=False)
]
Target: TypeAlias = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column to predict; npz and svmlight hold their own."),
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter of the estimator, name=value; may be repeated."),
]
TaskOption: TypeAlias = Annotated[
    Task | None,
    typer.Option("--task", help="What there is to predict. By default the target decides."),
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


def examples(*commands: str) -> str:
    """Lay out commands as the last lines of the help of a command."""
    return "\n\n".join(["Examples:", *(f"  {command}" for command in commands)])
