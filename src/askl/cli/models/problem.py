"""What a table asks for: classes or numbers, predicted from which inputs."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.cli.console import Screen
from askl.cli.tabular.columns import is_missing
from askl.cli.tabular.tables import count_unnamed, open_table, read_table
from askl.errors import TableError
from askl.preprocessing.validation import is_regression

# Text with more distinct values than this, most of them in one row, is a name and not a label.
MANY_CLASSES = 100


class Task(str, Enum):
    """What there is to predict."""

    classification = "classification"
    regression = "regression"


class Problem(NamedTuple):
    """Inputs, targets, and what the targets are."""

    X: Any
    y: Array
    regression: bool
    target: str | None

    @property
    def task(self) -> Task:
        """What there is to predict."""
        return Task.regression if self.regression else Task.classification

    @property
    def is_numeric(self) -> bool:
        """Whether the inputs are all numbers, none missing."""
        types = getattr(self.X, "dtypes", None)
        if types is None:
            return True
        is_number = all(data_type.kind in "iuf" for data_type in types)
        return is_number and not self.X.isna().to_numpy().any()


def read_problem(screen: Screen, path: Path, target: str | None, task: Task | None) -> Problem:
    """Read a table; if no task is named, its target decides."""
    if n_unnamed := count_unnamed(open_table(path)):
        columns = "column" if n_unnamed == 1 else "columns"
        screen.note(f"Left out: {n_unnamed} {columns} without a name.")
    X, y = read_table(path, target)
    labels = check_target(y, target or "y")
    regression = is_regression(labels) if task is None else task is Task.regression
    problem = Problem(X, as_targets(labels, target or "y", regression), regression, target)
    what = "numbers" if regression else f"{len(np.unique(problem.y))} classes"
    chosen = "chosen by the target; change it with --task" if task is None else "as asked"
    screen.note(
        f"{problem.task.value.capitalize()} of {X.shape[0]:,} rows, {X.shape[1]:,} inputs, {what} "
        f"({chosen})."
    )
    return problem


def check_target(y: Array | None, name: str) -> Array:
    """Return the targets, with none missing, or raise."""
    if y is None:
        raise TableError(f"There is no target {name!r}.")
    gaps = np.flatnonzero(is_missing(y).reshape(len(y), -1).any(axis=1))
    if len(gaps):
        raise TableError(
            f"The target {name!r} is missing in {len(gaps):,} of {len(y):,} rows, first in row "
            f"{gaps[0] + 1}. Fill it in or leave these rows out."
        )
    if len(y) < 2:
        raise TableError("The table has one row only. A model needs several to learn from.")
    return y.astype(str) if y.dtype.kind == "O" else y


def as_targets(y: Array, name: str, regression: bool) -> Array:
    """Return targets of the type that their task needs, or raise."""
    if regression:
        if y.dtype.kind not in "iufb":
            raise TableError(
                f"The target {name!r} holds text such as {str(y.flat[0])!r}, which is not a "
                "number. Use --task classification."
            )
        return y.astype(np.float64)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise TableError(
            f"The target {name!r} has one class only, {str(classes[0])!r}. "
            "A classifier needs rows of two classes or more."
        )
    if len(classes) > MANY_CLASSES and counts.mean() < 2.0:
        raise TableError(
            f"The target {name!r} has {len(classes):,} classes in {len(y):,} rows. "
            "Is it a name rather than a label? For numbers use --task regression."
        )
    return y
