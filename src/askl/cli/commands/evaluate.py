"""``askl evaluate``: the scores of a model on a table of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.progress import TextColumn
from rich.table import Table as Lines

from askl.cli.console import Screen
from askl.cli.models.inputs import blocks_for, choose_target, with_target
from askl.cli.models.predictions import with_intervals
from askl.cli.models.saved_model import SavedModel, load_model
from askl.cli.options import Data, Json, Model, Quiet, Target
from askl.cli.tabular.tables import Block, Table, open_table
from askl.errors import TableError
from askl.evaluation import ClassificationMetrics, RegressionMetrics


def evaluate(
    model: Model,
    data: Data,
    target: Target = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a model. Use a table that it was not fitted to.

    Accuracy, balanced accuracy, log loss and macro AUC; or RMSE, MAE, R2 and the coverage of 90 %
    intervals. The target is that of the fit unless --target names another.
    """
    screen = Screen(as_json=as_json, quiet=quiet)
    saved = load_model(screen, model)
    table = open_table(data)
    scores, n_rows = _score(screen, saved, table, choose_target(saved, table, target))
    record = {"model": str(model), "data": str(data), "n_rows": n_rows, "scores": scores}
    screen.result(record, _layout(scores, n_rows))


def _score(
    screen: Screen, saved: SavedModel, table: Table, target: str | None
) -> tuple[dict[str, float], int]:
    """Score all blocks together; return the scores with the number of rows."""
    classes = getattr(saved.model, "classes_", None)
    metrics: Any = RegressionMetrics() if classes is None else ClassificationMetrics(classes)
    n_rows = n_missing = 0
    with screen.progress(TextColumn("{task.completed:,} rows")) as progress:
        task = progress.add_task("Scoring", total=getattr(table, "n_rows", None))
        for block in blocks_for(screen, saved, table, target):
            kept = with_target(block, table)
            n_missing += block.X.shape[0] - kept.X.shape[0]
            if kept.X.shape[0]:
                _add(metrics, saved.model, kept)
            n_rows += kept.X.shape[0]
            progress.update(task, completed=n_rows)
    if n_rows == 0:
        raise TableError(f"{table.path} has no row with a target.")
    if n_missing:
        screen.note(f"{n_missing:,} rows without a target are left out.")
    if classes is not None:
        _note_unseen(screen, metrics, classes)
    return metrics.result(), n_rows


def _add(metrics: Any, model: Any, block: Block) -> None:
    X, y = block.X, np.asarray(block.y)
    if isinstance(metrics, RegressionMetrics):
        try:
            columns = with_intervals(model, X, 0.9)
        except ValueError:  # a model without intervals
            metrics.add(y.astype(np.float64), model.predict(X))
        else:
            ends = columns["lower"], columns["upper"]
            metrics.add(y.astype(np.float64), columns["prediction"], ends)
        return
    labels = y.astype(str) if model.classes_.dtype.kind in "UO" else y.astype(model.classes_.dtype)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        metrics.add(labels, model.classes_[shares.argmax(axis=1)], shares)
    else:
        metrics.add(labels, model.predict(X), None)


def _note_unseen(screen: Screen, metrics: ClassificationMetrics, classes: Any) -> None:
    """Tell which labels the model has not seen; if it has seen none of them, raise."""
    unseen = metrics.unseen
    shown = ", ".join(repr(label) for label in list(unseen)[:5])
    if unseen and len(unseen) == len(metrics.rows):
        known = ", ".join(repr(label) for label in classes[:5].tolist())
        raise TableError(
            f"The model has none of the labels here, such as {shown}; it has {known}. "
            "Is this the right target?"
        )
    if unseen:
        screen.note(
            f"{sum(unseen.values()):,} rows have labels that the model has not seen ({shown}). "
            "They count as wrong, and are left out of log loss and AUC."
        )


def _layout(scores: dict[str, float], n_rows: int) -> Lines:
    lines = Lines(title=f"{n_rows:,} rows", box=SIMPLE_HEAD, show_header=False)
    for name, value in scores.items():
        lines.add_row(name.replace("_", " ").replace("auc", "AUC"), f"{value:.4f}")
    return lines
