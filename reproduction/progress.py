"""Show how far a long run has come and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn


@contextmanager
def show_progress(title: str, n_items: int, work: float) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on a terminal, or print a line for each item where the output is a file.

    The yielded function is called with what was done and how much work that was. Time left is
    in proportion to the work left, since data sets differ a thousandfold in cost.
    """
    console = Console()
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
                print(f"{state}: {message}", flush=True)

        yield advance
