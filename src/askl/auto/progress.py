"""A progress bar of an automatic fit: trials done, and what is left of the budget."""

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

from askl.auto.budget import Budget


@contextmanager
def show_steps(title: str, clock: Budget) -> Iterator[Callable[[str], None]]:
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
