"""``askl compare``: all methods side by side on one data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.progress import MofNCompleteColumn
from rich.table import Table
from rich.text import Text
from sklearn.model_selection import train_test_split

from askl._typing import Array
from askl.cli.console import Screen
from askl.cli.files import check_destination
from askl.cli.models.problem import read_problem
from askl.cli.options import Json, Quiet, Target
from askl.cli.tabular.example_data import EMBEDDED, load_embedded
from askl.errors import TableError
from askl.evaluation import MethodScores, compare_methods, fit_methods
from askl.insight import write_comparison_report
from askl.learning import HEAD_NORMS, METHODS, Method
from askl.preprocessing.validation import is_regression


def compare(
    data: Annotated[
        str, typer.Argument(help=f"A file, or one of {', '.join(EMBEDDED)}.")
    ] = "digits",
    target: Target = None,
    splits: Annotated[int, typer.Option(min=1, help="Random 80/20 splits.")] = 5,
    components: Annotated[int, typer.Option(min=1, help="Number of frequencies.")] = 500,
    jobs: Annotated[int, typer.Option(help="Fits at a time.")] = 2,
    report: Annotated[
        Path | None, typer.Option(help="Where to write an HTML report of one split.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare all methods on one data set, with paired t-tests."""
    screen = Screen(as_json=as_json, quiet=quiet)
    if report is not None:
        check_destination(report, Path(data))
    name, X, y = _load(screen, data, target)
    rows = run_comparison(screen, name, X, y, n_splits=splits, n_components=components, n_jobs=jobs)
    if report is not None:
        report_comparison(name, X, y, report, n_components=components)
    _print(screen, rows, name, is_regression(y), report)


def _load(screen: Screen, data: str, target: str | None) -> tuple[str, Array, Array]:
    """Load an embedded data set by its name, or a file of numbers."""
    if data in EMBEDDED or not ("." in data or "/" in data):
        X, y = load_embedded(data)(return_X_y=True)
        return data, X, y
    problem = read_problem(screen, Path(data), target, None)
    if not problem.is_numeric:
        raise TableError(
            f"{data} holds texts, dates or missing values, and the methods take numbers only. "
            "Use askl fit, which encodes them."
        )
    X = problem.X.toarray() if hasattr(problem.X, "toarray") else problem.X
    return Path(data).name, np.asarray(X), problem.y


def run_comparison(
    screen: Screen, name: str, X: Array, y: Array, *, n_splits: int, n_components: int, n_jobs: int
) -> list[MethodScores]:
    """Fit all methods with a progress bar."""
    with screen.progress(MofNCompleteColumn()) as progress:
        total = len(METHODS) * n_splits
        task = progress.add_task(f"{len(METHODS)} methods on {name}", total=total)
        return compare_methods(
            X,
            y,
            n_splits=n_splits,
            n_jobs=n_jobs,
            n_components=n_components,
            advance=lambda: progress.advance(task),
        )


def report_comparison(name: str, X: Array, y: Array, path: Path, *, n_components: int) -> None:
    """Fit all methods on one split and write the report of how they compare."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    models = fit_methods(X_train, y_train, n_components=n_components, random_state=0)
    named = {method.upper(): model for method, model in models.items()}
    title = f"{len(named)} methods on {name}"
    write_comparison_report(named, X_test, y_test, path, title=title)


def _print(
    screen: Screen, rows: list[MethodScores], name: str, regression: bool, report: Path | None
) -> None:
    record: dict[str, Any] = {
        "data": name,
        "measure": "RMSE" if regression else "accuracy",
        "methods": {row.method: row._asdict() for row in rows},
    }
    lines: list[Any] = [comparison_table(rows, name, regression)]
    lines.append("Bold: best mean. Underlined: not significantly worse (paired t-test at 5 %).")
    if report is not None:
        record["report"] = str(report.resolve())
        lines.append(f"Report: {report.resolve()}")
    screen.result(record, *lines)


def comparison_table(rows: list[MethodScores], data: str, regression: bool) -> Table:
    """Lay out the scores as a table."""
    measure, factor = ("RMSE", 1.0) if regression else ("accuracy %", 100.0)
    title = f"{data}: {measure} on {len(rows[0].scores)} random splits"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("method", "kernel", "density", "penalties"):
        table.add_column(heading, no_wrap=True)
    for heading in (measure, "p", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        method = METHODS[row.method]
        style = "bold" if row.best else ("underline" if row.p_value > 0.05 else "")
        score = f"{factor * row.scores.mean():.2f} ± {factor * row.scores.std():.2f}"
        table.add_row(
            row.method.upper(),
            "stationary" if method.n_branches == 1 else "non-stationary",
            "learned" if method.learn_frequencies else "assigned",
            _penalties(method),
            Text(score, style=style),
            "" if row.best else f"{row.p_value:.3f}",
            f"{row.seconds:.2f}",
        )
    return table


def _penalties(method: Method) -> str:
    """Write the norms that a method penalises."""
    norm = HEAD_NORMS[method.head_norm].symbol
    return f"{norm}, ‖φ‖²" if method.feature_penalty else norm
