"""A progress bar of an automatic fit: trainings done, and what is left of the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar
from rich.table import Column

from askl.auto.execution.budget import Budget


@contextmanager
def show_trainings(title: str, budget: Budget) -> Iterator[Callable[[str], None]]:
    """Show the last training and, where there is a budget, how much of it is left.

    The yielded function takes a line about each training that has ended.
    """
    is_bounded = budget.total is not None
    columns = (
        SpinnerColumn(),
        # On a narrow screen the description is cut, not the time.
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True)),
        *((BarColumn(bar_width=12),) if is_bounded else ()),
        TimeElapsedColumn(),
        TextColumn("of about {task.fields[expected]:.0f} s" if is_bounded else ""),
    )
    with Bar(*columns, expand=True) as bar:
        task = bar.add_task(title, total=budget.total, expected=budget.expected_seconds)
        n_trained = 0

        def advance(line: str) -> None:
            nonlocal n_trained
            n_trained += 1
            bar.update(
                task,
                description=f"{title}: {n_trained} trained, last {line}",
                completed=budget.spent,
                total=budget.total,
                expected=budget.expected_seconds,
            )

        yield advance
