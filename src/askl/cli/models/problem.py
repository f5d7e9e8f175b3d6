"""From a table to a problem to solve, and from its names to an estimator."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import askl
from askl._typing import Array
from askl.cli.console import Screen
from askl.cli.tabular.columns import missing
from askl.cli.tabular.tables import open_table, read_table, unnamed
from askl.errors import TableError
from askl.preprocessing.validation import is_regression

# A column of texts with this many classes, most of them of one row, is a name, not a label.
MANY_CLASSES = 100


class Task(str, Enum):
    """What there is to predict."""

    classification = "classification"
    regression = "regression"


class Method(str, Enum):
    """What to fit: one row of the methods' table, or a choice of models."""

    auto = "auto"
    askl = "askl"
    nskl = "nskl"
    skl = "skl"
    nsk = "nsk"
    sk = "sk"


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
    def plain(self) -> bool:
        """Whether the inputs are all numbers, none missing."""
        kinds = getattr(self.X, "dtypes", None)
        if kinds is None:
            return True
        return all(kind.kind in "iuf" for kind in kinds) and not self.X.isna().to_numpy().any()


def read_problem(screen: Screen, path: Path, target: str | None, task: Task | None) -> Problem:
    """Read a table, and tell the task by its target where none is named."""
    if n_unnamed := unnamed(open_table(path)):
        screen.note(f"{n_unnamed} column(s) without a name are left out.")
    X, y = read_table(path, target)
    labels = check_target(y, target or "y")
    regression = is_regression(labels) if task is None else task is Task.regression
    problem = Problem(X, as_targets(labels, target or "y", regression), regression, target)
    what = "numbers" if regression else f"{len(np.unique(problem.y))} classes"
    told = "by the target; --task says otherwise" if task is None else "as asked"
    screen.note(
        f"{problem.task.value.capitalize()} of {X.shape[0]:,} rows, {X.shape[1]:,} inputs, {what} "
        f"({told})."
    )
    return problem


def check_target(y: Array | None, name: str) -> Array:
    """Raise where a target has gaps or too few rows."""
    if y is None:
        raise TableError(f"There is no target {name!r}.")
    gaps = np.flatnonzero(missing(y).reshape(len(y), -1).any(axis=1))
    if len(gaps):
        raise TableError(
            f"The target {name!r} is missing in {len(gaps):,} of {len(y):,} rows, first in row "
            f"{gaps[0] + 1}. Fill it in or leave these rows out."
        )
    if len(y) < 2:
        raise TableError("There is one row only. A model needs several to learn from.")
    return y.astype(str) if y.dtype.kind == "O" else y


def as_targets(y: Array, name: str, regression: bool) -> Array:
    """Bring targets to the type of their task, or say why they are not of it."""
    if regression:
        if y.dtype.kind not in "iufb":
            raise TableError(
                f"The target {name!r} holds text such as {str(y.flat[0])!r}, which is no number. "
                "Use --task classification."
            )
        return y.astype(np.float64)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise TableError(
            f"The target {name!r} has one class only, {str(classes[0])!r}. "
            "There is nothing to tell apart."
        )
    if len(classes) > MANY_CLASSES and counts.mean() < 2.0:
        raise TableError(
            f"The target {name!r} has {len(classes):,} classes in {len(y):,} rows. "
            "Is it a name rather than a label? For numbers use --task regression."
        )
    return y


def parse_settings(texts: list[str] | None) -> dict[str, Any]:
    """Read ``name=value`` settings; values are Python's literals, or else text.

    Examples
    --------
    >>> parse_settings(["n_components=200", "loss=hinge", "early_stopping=true"])
    {'n_components': 200, 'loss': 'hinge', 'early_stopping': True}
    """
    words = {"true": True, "false": False, "none": None}
    settings = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"A setting is written name=value. Got {text!r}.")
        try:
            settings[name.strip()] = words.get(value.lower(), ast.literal_eval(value))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            settings[name.strip()] = words.get(value.lower(), value)
    return settings


def make_estimator(
    problem: Problem, method: Method, parameters: Mapping[str, Any], *, seed: int
) -> Any:
    """Make the estimator of a method for a problem, behind an encoder where it needs one."""
    family = "Auto" if method is Method.auto else ""
    kind = getattr(
        askl, f"{family}SpectralKernel{'Regressor' if problem.regression else 'Classifier'}"
    )
    named = {"random_state": seed, **parameters}
    if method is not Method.auto:
        named["method"] = method.value
    known = kind().get_params()
    for name in named:
        if name not in known:
            close = get_close_matches(name, known, n=3) or sorted(known)
            raise typer.BadParameter(
                f"{kind.__name__} has no parameter {name!r}. Try one of {', '.join(close)}."
            )
    estimator = kind(**named)
    wraps = method is not Method.auto and not problem.plain
    return askl.make_table_pipeline(estimator) if wraps else estimator
