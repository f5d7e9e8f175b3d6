"""What the user sees of training: a progress bar for ``verbose=1``, and warnings at the end."""

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
from sklearn.exceptions import ConvergenceWarning

from askl.errors import warn_user
from askl.estimators.parameters import SpectralParameters
from askl.learning import Progress, TrainingResult


@contextmanager
def show_progress(title: str, n_epochs: int) -> Iterator[Callable[[Progress], None]]:
    """Show a bar while the block runs; the yielded function advances it to a record."""
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


def warn_of_early_end(result: TrainingResult, parameters: SpectralParameters) -> None:
    """Warn the user if training diverged or was interrupted."""
    if result.stop == "diverged":
        warn_user(
            f"Training diverged in epoch {result.n_epochs + 1} and kept its best state so far. "
            f"Lower learning_rate={parameters.learning_rate} or "
            f"head_learning_rate={parameters.head_learning_rate:g}.",
            ConvergenceWarning,
        )
    elif result.stop == "interrupted":
        warn_user(
            f"Training was interrupted after {result.n_epochs} epochs; "
            "the model trained so far is kept.",
            ConvergenceWarning,
        )
