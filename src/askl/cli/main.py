"""The ``askl`` command and its subcommands."""

from __future__ import annotations

from collections.abc import Callable

import typer

from askl.cli.commands.compare import compare
from askl.cli.commands.datasets import app as datasets
from askl.cli.commands.evaluate import evaluate
from askl.cli.commands.export import export
from askl.cli.commands.fit import fit
from askl.cli.commands.inspect import inspect
from askl.cli.commands.predict import predict
from askl.cli.commands.report import report
from askl.cli.commands.tune import tune
from askl.cli.errors import Commands
from askl.cli.options import examples

app = typer.Typer(
    cls=Commands,
    help="Spectral kernel learning from the command line.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    fit: (
        "askl fit train.csv --target price -o model.askl",
        "askl fit train.parquet -t label -o model.askl --method askl --set n_components=500",
        "askl fit train.svm.gz -o model.askl --time-budget 60",
    ),
    predict: (
        "askl predict model.askl new.csv -o predictions.csv",
        "askl predict model.askl new.parquet -o shares.parquet --probabilities",
        "askl predict model.askl new.csv -o - --intervals 0.9 | head",
    ),
    evaluate: (
        "askl evaluate model.askl test.csv",
        "askl evaluate model.askl test.csv --target price --json",
    ),
    compare: (
        "askl compare",
        "askl compare diabetes --splits 10 --report diabetes.html",
        "askl compare train.csv --target price",
    ),
    tune: (
        "askl tune train.csv -t price -o model.askl --trials 50 --study sqlite:///study.db",
        "askl tune train.csv -t price -o model.askl --jobs 4 --timeout 3600",
    ),
    report: ("askl report model.askl test.csv -o report.html",),
    inspect: ("askl inspect model.askl", "askl inspect model.askl --json"),
    export: ("askl export model.askl model.onnx",),
}
for command, lines in COMMANDS.items():
    app.command(epilog=examples(*lines))(command)
app.add_typer(datasets, name="datasets")


@app.callback()
def askl() -> None:
    """Spectral kernel learning from the command line."""


def main() -> None:
    """Run the command line."""
    app()
