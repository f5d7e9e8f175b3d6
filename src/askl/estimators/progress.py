"""A progress bar for ``verbose=1``: epochs, loss, score and time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
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
