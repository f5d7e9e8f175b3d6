"""``askl compare``: the five methods side by side on an embedded data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from sklearn import datasets
from sklearn.model_selection import train_test_split

from askl.estimators.comparison import MethodScores, compare_methods, fit_methods
from askl.estimators.data import is_regression
from askl.insight import write_comparison_report
from askl.learning import METHODS

EMBEDDED: dict[str, Callable[..., Any]] = {
    "digits": datasets.load_digits,
    "breast_cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "diabetes": datasets.load_diabetes,
}


def run_comparison(
    console: Console, data: str, *, n_splits: int, n_components: int, n_jobs: int
) -> None:
    """Fit all methods with a progress bar, then print their table."""
    X, y = EMBEDDED[data](return_X_y=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(f"Five methods on {data}", total=len(METHODS) * n_splits)
        rows = compare_methods(
            X,
            y,
            n_splits=n_splits,
            n_jobs=n_jobs,
            n_components=n_components,
            advance=lambda: progress.advance(task),
        )
    console.print(comparison_table(rows, data, is_regression(y)))
    console.print(
        "Bold: best mean. Underlined: not significantly worse (paired t-test, 5 %).", style="dim"
    )


def report_comparison(data: str, path: Path, *, n_components: int) -> Path:
    """Fit all methods on one split and write the report of how they compare."""
    X_train, X_test, y_train, y_test = train_test_split(
        *EMBEDDED[data](return_X_y=True), test_size=0.2, random_state=0
    )
    models = fit_methods(X_train, y_train, n_components=n_components, random_state=0)
    named = {method.upper(): model for method, model in models.items()}
    return write_comparison_report(named, X_test, y_test, path, title=f"Five methods on {data}")


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
            "‖W‖_*, ‖φ‖²" if method.head_norm == "trace" else "‖W‖²",
            f"[{style}]{score}[/]" if style else score,
            "" if row.best else f"{row.p_value:.3f}",
            f"{row.seconds:.2f}",
        )
    return table
