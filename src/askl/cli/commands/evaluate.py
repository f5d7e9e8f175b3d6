"""``askl evaluate``: the scores of a model on a table of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.progress import TextColumn
from rich.table import Table as Lines

from askl.cli.commands.predict import with_intervals
from askl.cli.console import Screen
from askl.cli.models import blocks_for, load_model
from askl.cli.options import Data, Json, Model, Quiet, Target
from askl.cli.tabular.binary_tables import ArrayTable
from askl.cli.tabular.columns import missing
from askl.cli.tabular.tables import Block, Table, open_table
from askl.errors import AsklError, TableError
from askl.evaluation.streaming_metrics import ClassificationScores, RegressionScores


def evaluate(
    model: Model,
    data: Data,
    target: Target = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a model on a table, best one it was not fitted to.

    Accuracy, balanced accuracy, log loss and macro AUC, or RMSE, MAE, R2 and the coverage of
    90 % intervals. The target is the one of the fit unless named.
    """
    screen = Screen(as_json=as_json, quiet=quiet)
    fitted = load_model(screen, model)
    table = open_table(data)
    target = target_of(fitted, table, target)
    scores = _score(screen, fitted, table, target)
    record = {"model": str(model), "data": str(data), "n_rows": scores[1], "scores": scores[0]}
    screen.result(record, _layout(*scores))


def target_of(model: Any, table: Table, target: str | None) -> str | None:
    """Return the target as named, or as it was in the fit; arrays have their own."""
    if isinstance(table, ArrayTable):
        return None
    target = target or getattr(model, "target_name_", None)
    if target is None:
        raise AsklError(f"Which column of {table.path} is the target? Name it by --target.")
    return target


def _score(
    screen: Screen, model: Any, table: Table, target: str | None
) -> tuple[dict[str, float], int]:
    """Add up the scores of all blocks; return them with the number of rows."""
    classes = getattr(model, "classes_", None)
    scores: Any = RegressionScores() if classes is None else ClassificationScores(classes)
    n_rows = n_missing = 0
    with screen.progress(TextColumn("{task.completed:,} rows")) as progress:
        task = progress.add_task("Scoring", total=getattr(table, "n_rows", None))
        for block in blocks_for(screen, model, table, target):
            kept = with_target(block, table)
            n_missing += block.X.shape[0] - kept.X.shape[0]
            if kept.X.shape[0]:
                _add(scores, model, kept)
            n_rows += kept.X.shape[0]
            progress.update(task, completed=n_rows)
    if n_rows == 0:
        raise TableError(f"{table.path} has no row with a target.")
    if n_missing:
        screen.note(f"{n_missing:,} rows without a target are left out.")
    if classes is not None:
        _warn_of_unseen(screen, scores, classes)
    return scores.result(), n_rows


def with_target(block: Block, table: Table) -> Block:
    """Leave out rows whose target is missing."""
    if block.y is None:
        raise TableError(f"{table.path} holds no array y to compare with.")
    gaps = missing(block.y)
    if not gaps.any():
        return block
    kept = np.flatnonzero(~gaps)
    X = block.X.iloc[kept] if hasattr(block.X, "iloc") else block.X[kept]
    return Block(X, block.y[kept])


def _add(scores: Any, model: Any, block: Block) -> None:
    X, y = block.X, np.asarray(block.y)
    if isinstance(scores, RegressionScores):
        try:
            columns = with_intervals(model, X, 0.9)
        except ValueError:  # a model without intervals
            scores.add(y.astype(np.float64), model.predict(X))
        else:
            ends = columns["lower"], columns["upper"]
            scores.add(y.astype(np.float64), columns["prediction"], ends)
        return
    labels = y.astype(str) if model.classes_.dtype.kind in "UO" else y.astype(model.classes_.dtype)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        scores.add(labels, model.classes_[shares.argmax(axis=1)], shares)
    else:
        scores.add(labels, model.predict(X), None)


def _warn_of_unseen(screen: Screen, scores: ClassificationScores, classes: Any) -> None:
    """Say which labels the model never saw; where it saw none of them, that is an error."""
    unseen = scores.unseen
    shown = ", ".join(repr(label) for label in list(unseen)[:5])
    if unseen and len(unseen) == len(scores.rows):
        known = ", ".join(repr(label) for label in classes[:5].tolist())
        raise TableError(
            f"The model knows none of the labels here, such as {shown}; it knows {known}. "
            "Is this the right target?"
        )
    if unseen:
        screen.note(
            f"{sum(unseen.values()):,} rows have labels the model never saw ({shown}). They "
            "count as misses, and are left out of log loss and AUC."
        )


def _layout(scores: dict[str, float], n_rows: int) -> Lines:
    lines = Lines(title=f"{n_rows:,} rows", box=SIMPLE_HEAD, show_header=False)
    for name, value in scores.items():
        lines.add_row(name.replace("_", " ").replace("auc", "AUC"), f"{value:.4f}")
    return lines
