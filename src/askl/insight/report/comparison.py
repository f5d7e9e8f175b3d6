"""A report on several fitted models, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from askl.insight.report import facts
from askl.insight.report.comparison_pictures import (
    kernel_pictures,
    score_picture,
    training_pictures,
)
from askl.insight.report.environment import environment_table
from askl.insight.report.page import Card, Section, Table, render, write_page
from askl.insight.report.scores import Score, best_of, compute_scores, is_tied
from askl.insight.report.single import FOOTER, PICTURE_ROWS
from askl.insight.rows import some_rows, take_rows
from askl.theory import bounds

Scores = Mapping[str, list[Score]]


def write_comparison_report(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    path: str | Path,
    *,
    title: str | None = None,
    sections: Sequence[Section] = (),
) -> Path:
    """Write a self-contained HTML page that compares several fitted models on the same rows.

    Parameters
    ----------
    models : mapping of str to fitted estimator
        All classifiers of the same classes, or all regressors.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows to score the models on. Use rows that they were not trained on: on others the scores
        are too good.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    path : str or Path
        Where to write; missing folders are made.
    title : str, optional
        The number of models and rows by default.
    sections : sequence of Section
        More sections, which come first.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.report import write_comparison_report
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {
    ...     name: SpectralKernelClassifier(name, n_components=50, random_state=0).fit(X, y)
    ...     for name in ("sk", "askl")}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_comparison_report(models, X, y, f"{folder}/iris.html", title="Iris")
    ...     "<h1>Iris</h1>" in path.read_text(encoding="utf-8")
    True
    """
    if not models:
        raise ValueError(
            "The 'models' parameter of write_comparison_report must hold at least one fitted "
            "model. Got none."
        )
    X = X if issparse(X) or hasattr(X, "columns") else np.asarray(X)
    y = np.asarray(y)
    scores = {name: compute_scores(model, X, y) for name, model in models.items()}
    some = next(iter(models.values()))
    page = render(
        title or f"{len(models)} models on {len(y):,} rows",
        f"Scored on {facts.describe_data(some, X, y)}.",
        _cards(scores),
        [*sections, *_sections(models, X, y, scores)],
        FOOTER,
    )
    return write_page(path, page)


def _column(scores: Scores, position: int) -> dict[str, Score]:
    """Return one score of every model."""
    return {name: row[position] for name, row in scores.items()}


def _cards(scores: Scores) -> list[Card]:
    """Name the best model by each score."""
    cards = []
    for position, score in enumerate(next(iter(scores.values()))):
        column = _column(scores, position)
        best = best_of(column)
        cards.append(Card(f"best {score.name}", facts.number(column[best].value), best))
    return cards


def _sections(models: Mapping[str, Any], X: Any, y: Any, scores: Scores) -> list[Section]:
    chosen = some_rows(len(y), PICTURE_ROWS)
    sample, targets = take_rows(X, chosen), y[chosen]
    results = {name: facts.bound_rows(bounds(model, X, y)) for name, model in models.items()}
    spectra = {name: facts.spectrum_rows(model, X) for name, model in models.items()}
    return [
        Section(
            "Scores",
            "Bold is the best of its column; ≈ marks scores that are not significantly worse: the "
            "95 % interval of the difference over 500 paired bootstrap resamples holds zero.",
            [_score_table(models, scores)],
            [score_picture(_column(scores, 0)), score_picture(_column(scores, -1))],
        ),
        Section("Training", "", (), training_pictures(models)),
        Section("Kernels", "", (), kernel_pictures(models, sample, targets)),
        Section("Bounds", _BOUNDS, [_side_by_side(results)]),
        Section("Spectra", "", [_side_by_side(spectra)]),
        Section("Parameters", "Those in which the models differ.", [_differences(models)]),
        Section("Environment", "", [environment_table()]),
    ]


_BOUNDS = (
    "For functions Wᵀφ(x) with ‖W‖_* at most B, features fixed, on the rows of this report. "
    "A smaller trace helps only if B does not grow: compare the complexities."
)


def _score_table(models: Mapping[str, Any], scores: Scores) -> Table:
    some = next(iter(scores.values()))
    header = ["model", "kernel", "density"]
    header += [f"{score.name} {'↑' if score.larger_is_better else '↓'}" for score in some]
    best = [best_of(_column(scores, position)) for position in range(len(some))]
    rows = []
    for name, model in models.items():
        method = model.resolve_method()
        cells = [
            name,
            "stationary" if method.n_branches == 1 else "non-stationary",
            "learned" if method.learn_frequencies else "assigned",
        ]
        for position, score in enumerate(scores[name]):
            mark = "**" if name == best[position] else ""
            tied = not mark and is_tied(score, scores[best[position]][position])
            cells.append(f"{mark}{facts.interval(score)}{' ≈' if tied else ''}")
        trained = f"{model.history_[-1].seconds:.1f} s" if model.history_ else "exact"
        rows.append([*cells, trained, facts.megabytes(model)])
    return Table([*header, "training", "size"], rows)


def _side_by_side(rows_of: Mapping[str, Sequence[Sequence[str]]]) -> Table:
    """Put the (name, value, ...) rows of several models into one table, a column each."""
    lines = zip(*rows_of.values(), strict=True)
    return Table(["", *rows_of], [[line[0][0], *(row[1] for row in line)] for line in lines])


def _differences(models: Mapping[str, Any]) -> Table:
    """List the parameters in which models differ."""
    shown = {
        name: {row[0]: row[1] for row in facts.parameter_table(model).rows}
        for name, model in models.items()
    }
    parameters = next(iter(shown.values()))
    rows = []
    for parameter in parameters:
        values = [column[parameter] for column in shown.values()]
        if len(set(values)) > 1:
            rows.append([parameter, *values])
    return Table(["parameter", *shown], rows)
