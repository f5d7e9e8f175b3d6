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
def show_steps(title: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner and the last step done; the yielded function tells of one more."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns) as bar:
        task = bar.add_task(title, total=None)

        def advance(line: str) -> None:
            bar.advance(task)
            done = bar.tasks[task].completed
            bar.update(task, description=f"{title}: {done:g} trained, last {line}")

        yield advance
