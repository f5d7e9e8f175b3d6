"""One function writes the report of any fitted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline

from askl.auto.base import AutoSpectralModel
from askl.insight.members import check_plain
from askl.insight.report.ensemble import ensemble_page
from askl.insight.report.page import write_page
from askl.insight.report.single import model_page
from askl.preprocessing.frames import is_frame
from askl.theory import BoundRecorder


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | Path,
    *,
    title: str | None = None,
    recorder: BoundRecorder | None = None,
) -> Path:
    """Write a self-contained HTML page about a fitted model.

    It shows scores with intervals, errors and calibration, kernel matrices, the relevance of
    inputs, the learned spectral density, and generalisation bounds. The page about an automatic
    model is about the ensemble, and ends with its heaviest member.

    Parameters
    ----------
    model : fitted classifier or regressor of askl
        Plain or automatic, also as the last step of a pipeline.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows to score the model on. Use rows that it was not trained on: on others the scores are
        too good.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    path : str or Path
        Where to write; missing folders are made.
    title : str, optional
        The kind of model and the number of rows by default.
    recorder : BoundRecorder, optional
        For the bound over training of a plain model. By default the model's callback, if it is one.

    Returns
    -------
    Path
        Where the file is. Needs matplotlib: ``pip install askl[plots]``.

    Examples
    --------
    >>> import tempfile
    >>> import askl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = askl.SpectralKernelClassifier(n_components=50, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = askl.write_report(model, X[1::2], y[1::2], f"{folder}/iris.html", title="Iris")
    ...     "<h1>Iris</h1>" in path.read_text(encoding="utf-8")
    True
    """
    names = None
    if isinstance(model, Pipeline):
        model, X, names = _last_step(model, X)
    X, y = X if issparse(X) or is_frame(X) else np.asarray(X), np.asarray(y)
    if isinstance(model, AutoSpectralModel):
        return write_page(path, ensemble_page(model, X, y, title=title))
    if not hasattr(check_plain(model), "predict"):
        raise TypeError(
            "The 'model' parameter of write_report must be a fitted classifier or regressor. "
            f"Got {type(model).__name__} instead, which predicts nothing. "
            "Draw it with the displays of askl.insight.plots."
        )
    page = model_page(model, X, y, title=title, recorder=recorder, names=names)
    return write_page(path, page)


def _last_step(pipeline: Pipeline, X: Any) -> tuple[Any, Any, list[str] | None]:
    """Return the last step of a pipeline, the rows as it takes them, and their names."""
    if len(pipeline.steps) == 1:
        return pipeline[-1], X, None
    encoder = pipeline[:-1]
    try:
        names = [str(name) for name in encoder.get_feature_names_out()]
    except AttributeError:  # a step that cannot name its columns
        names = None
    return pipeline[-1], encoder.transform(X), names
