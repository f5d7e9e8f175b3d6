"""Show how much of a long run is done and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn


@contextmanager
def show_progress(title: str, n_items: int, work: float) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on standard error, or print a line for each item where that is no terminal.

    The yielded function is called with a message about an item and the work that it was. The time
    left is in proportion to the work left, since items differ a thousandfold in cost.
    """
    console = Console(stderr=True, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    started, done, count = time.monotonic(), 0.0, 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{title} 0/{n_items}", total=work)

        def advance(message: str, amount: float) -> None:
            nonlocal done, count
            done, count = done + amount, count + 1
            left = (time.monotonic() - started) * (work - done) / done
            state = f"{title} {count}/{n_items}, {timedelta(seconds=round(left))} left"
            bar.update(task, completed=done, description=state)
            if not console.is_terminal:
                console.print(f"{state}: {message}", markup=False, highlight=False)

        yield advance
