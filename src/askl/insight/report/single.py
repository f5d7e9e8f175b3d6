"""A report on one fitted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from askl.insight.plots.display import some_rows
from askl.insight.report import facts, pictures
from askl.insight.report.page import Card, Section, Table, render, write
from askl.insight.report.quality import quality_pictures
from askl.insight.report.scores import Score, compute_scores
from askl.theory import BoundRecorder, bounds

# Pictures of more rows than this would say the same and take longer.
PICTURE_ROWS = 2000
FOOTER = "Written by askl. This file needs no network and holds no link to any other."


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | Path,
    *,
    title: str | None = None,
    recorder: BoundRecorder | None = None,
) -> Path:
    """Write all there is to see of a fitted model to one self-contained HTML file.

    Parameters
    ----------
    model : fitted SpectralKernelClassifier or SpectralKernelRegressor
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows to score the model on; rows it was not trained on, or scores flatter it.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    path : str or Path
        Where to write; folders on the way are made.
    title : str, optional
        The kind of model and the number of rows by default.
    recorder : BoundRecorder, optional
        For the bound over training. By default the model's callback, where it is one.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.insight.report import write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(model, X[1::2], y[1::2], f"{folder}/iris.html", title="Iris")
    ...     "<h1>Iris</h1>" in path.read_text(encoding="utf-8")
    True
    """
    X = X if issparse(X) or hasattr(X, "columns") else np.asarray(X)
    y = np.asarray(y)
    if recorder is None and isinstance(model.callback, BoundRecorder):
        recorder = model.callback
    scores = compute_scores(model, X, y)
    page = render(
        title or f"{type(model).__name__} on {len(y):,} rows",
        f"{facts.describe_model(model)}. Scored on {facts.describe_data(model, X, y)}.",
        _cards(model, X, scores),
        _sections(model, X, y, scores, recorder),
        FOOTER,
    )
    return write(path, page)


def _cards(model: Any, X: Any, scores: list[Score]) -> list[Card]:
    cards = [
        Card(
            score.name,
            facts.number(score.value),
            f"{facts.number(score.low)} to {facts.number(score.high)}",
        )
        for score in scores
    ]
    per_row = facts.seconds_to_predict(model, X) / X.shape[0]
    trained = model.history_[-1].seconds if model.history_ else None
    return [
        *cards,
        Card("training", f"{trained:.1f} s" if trained else "exact", f"{model.n_iter_} epochs"),
        Card("prediction", f"{1e6 * per_row:.0f} µs", "for each row"),
        Card("model", f"{facts.model_bytes(model) / 2**20:.2f} MB", "frequencies, phases, weights"),
    ]


def _sections(
    model: Any, X: Any, y: Any, scores: list[Score], recorder: BoundRecorder | None
) -> list[Section]:
    chosen = some_rows(len(y), PICTURE_ROWS)
    sample, targets = _safe_indexing(X, chosen), y[chosen]
    no_bound = (
        ""
        if recorder is not None
        else ("For the bound over training, fit with callback=askl.theory.BoundRecorder(...).")
    )
    return [
        Section(
            "Scores",
            "Intervals hold 95 % of 500 bootstrap resamples of the rows given to this report.",
            [facts.score_table(scores)],
            quality_pictures(model, X, y),
        ),
        Section("Training", no_bound, (), pictures.training_pictures(model, recorder)),
        Section("Kernel", "", (), pictures.kernel_pictures(model, sample, targets)),
        Section(
            "Spectrum",
            "The kernel is the Fourier transform of this density; learning moves its samples.",
            [Table(["", ""], facts.spectrum_rows(model, X))],
            pictures.spectrum_pictures(model),
        ),
        Section("Predictions", "", (), pictures.prediction_pictures(model, sample, targets)),
        Section(
            "Bounds",
            "For functions Wᵀφ(x) with ‖W‖_* at most B, features fixed, on the rows of this "
            "report. Monte Carlo, features and trivial come in this order always. Risk bounds of "
            "this kind are far above what is observed; compare them between models.",
            [Table(["quantity", "value", "formula"], facts.bound_rows(bounds(model, X, y)))],
        ),
        Section(
            "Data",
            f"The rows given to this report: {facts.describe_data(model, X, y)}. Inputs are "
            "listed by relevance.",
            [facts.target_table(model, y), facts.input_table(model, X)],
        ),
        Section("Parameters", "", [facts.parameter_table(model)]),
        Section("Environment", "", [facts.environment_table()]),
    ]
