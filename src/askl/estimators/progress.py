"""A progress bar for ``verbose=1``: epochs, loss, score and time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.table import Column

from askl.estimators.budgets import Clock
from askl.learning import Progress


@contextmanager
def show_progress(title: str, n_epochs: int) -> Iterator[Callable[[Progress], None]]:
    """Show a bar while the block runs; the yielded function advances it by one record."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns) as bar:
        task = bar.add_task(title, total=n_epochs, figures="")

        def advance(progress: Progress) -> None:
            score = "" if progress.score is None else f"  score {progress.score:.4f}"
            figures = f"loss {progress.loss:.4f}{score}"
            bar.update(task, completed=progress.epoch, figures=figures)

        yield advance


@contextmanager
def show_steps(title: str, clock: Clock) -> Iterator[Callable[[str], None]]:
    """Show the last step done and how much of a time budget is left, if there is one.

    The yielded function tells of one more step.
    """
    budget = clock.budget
    columns = (
        SpinnerColumn(),
        # On a narrow screen the line gives way, not the time.
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True)),
        *(() if budget is None else (BarColumn(bar_width=12),)),
        TimeElapsedColumn(),
        TextColumn("" if budget is None else "of about {task.fields[expected]:.0f} s"),
    )
    with Bar(*columns, expand=True) as bar:
        task = bar.add_task(title, total=budget, expected=clock.expected)
        n_steps = 0

        def advance(line: str) -> None:
            nonlocal n_steps
            n_steps += 1
            bar.update(
                task,
                description=f"{title}: {n_steps} trained, last {line}",
                completed=clock.spent,
                total=clock.budget,
                expected=clock.expected,
            )

        yield advance
