"""Figures of the errors of a model, and of the calibration of its probabilities or intervals."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import ConfusionMatrixDisplay, PredictionErrorDisplay, confusion_matrix

from askl._typing import Array
from askl.insight.plots.display import INK, PALETTE, require_matplotlib
from askl.insight.report.svg import Picture, draw


def quality_pictures(model: Any, X: Any, y: Array) -> list[Picture]:
    """Show the errors of predictions, and whether probabilities or intervals are calibrated."""
    if hasattr(model, "classes_"):
        pictures = [_confusion(model, X, y)]
        return (
            [*pictures, _calibration(model, X, y)] if hasattr(model, "predict_proba") else pictures
        )
    predicted = model.predict(X).reshape(len(y), -1)[:, 0]
    pictures = [_prediction_error(y, predicted, kind) for kind in _ERRORS]
    tells = "return_std" in inspect.signature(model.predict).parameters
    if tells and getattr(model, "has_deviations", True) and y.ndim == 1:
        pictures.append(_coverage(model, X, y))
    return pictures


def _confusion(model: Any, X: Any, y: Array) -> Picture:
    predicted, classes = model.predict(X), model.classes_
    counts = confusion_matrix(y, predicted, labels=classes)
    wrong = counts - np.diag(np.diag(counts))
    true, taken = np.unravel_index(wrong.argmax(), wrong.shape)
    worst = (
        f"Most errors: {wrong.max()} rows of {classes[true]} classified as {classes[taken]}."
        if wrong.max()
        else "No row is classified wrongly."
    )

    def paint(ax: Any) -> None:
        PowerNorm = require_matplotlib().colors.PowerNorm
        ConfusionMatrixDisplay.from_predictions(
            y,
            predicted,
            labels=classes,
            normalize="true",
            include_values=len(classes) <= 10,
            values_format=".2f",
            text_kw={"fontsize": 7},
            # On a square-root scale rare confusions are visible beside a full diagonal.
            im_kw={"norm": PowerNorm(0.5, 0.0, 1.0), "rasterized": True},
            ax=ax,
        )
        ax.grid(visible=False)
        every = 1 + (len(classes) - 1) // 13
        ax.set_xticks(np.arange(len(classes))[::every], classes[::every])
        ax.set_yticks(np.arange(len(classes))[::every], classes[::every])

    return draw(
        "Confusion matrix",
        "Each line is a true class, and shows the shares of its rows that are classified as each "
        "class, on a square-root scale. A perfect model is bright on the diagonal only.",
        f"Confusion matrix of {len(classes)} classes. {worst}",
        paint,
    )


def _calibration(model: Any, X: Any, y: Array) -> Picture:
    confidence = model.predict_proba(X).max(axis=1)
    hits = model.predict(X) == y

    def paint(ax: Any) -> None:
        CalibrationDisplay.from_predictions(
            hits, confidence, n_bins=10, strategy="quantile", ax=ax, color=PALETTE[0], name="model"
        )
        reference, curve = ax.get_lines()
        reference.set_color(INK)
        low = min(0.9, *curve.get_xdata(), *curve.get_ydata()) - 0.05
        limits = (max(0.0, low), 1.02)
        ax.set(xlabel="confidence", ylabel="share that is right", xlim=limits, ylim=limits)
        ax.get_legend().remove()

    return draw(
        "Calibration",
        "Rows are grouped by the probability of the predicted class. On the dotted line, "
        "predictions of 90 % are right 90 % of the time; below it the model is overconfident.",
        f"Reliability curve. Mean confidence {confidence.mean():.3f}, accuracy {hits.mean():.3f}.",
        paint,
    )


_ERRORS = {
    "actual_vs_predicted": (
        "Predictions",
        "Each point is a row. On the dashed line the prediction is exact.",
    ),
    "residual_vs_predicted": (
        "Residuals",
        "Errors should scatter around zero without a pattern. A slope or a funnel is structure "
        "that the model has not learned.",
    ),
}


def _prediction_error(y: Array, predicted: Array, kind: str) -> Picture:
    title, reading = _ERRORS[kind]
    truth = y.reshape(len(y), -1)[:, 0]

    def paint(ax: Any) -> None:
        PredictionErrorDisplay.from_predictions(
            truth,
            predicted,
            kind=kind,
            random_state=0,
            ax=ax,
            scatter_kwargs={"color": PALETTE[0], "s": 10, "alpha": 0.5, "rasterized": True},
            line_kwargs={"color": PALETTE[1]},
        )
        for axis in (ax.xaxis, ax.yaxis):  # scikit-learn's ticks are no round numbers
            axis.set_major_locator(require_matplotlib().ticker.AutoLocator())
            axis.set_major_formatter(require_matplotlib().ticker.ScalarFormatter())

    deviation = float(np.sqrt(np.mean((truth - predicted) ** 2)))
    return draw(title, reading, f"{title}; root mean squared error {deviation:.4g}.", paint)


def _coverage(model: Any, X: Any, y: Array) -> Picture:
    mean, deviation = model.predict(X, return_std=True)
    levels = np.linspace(0.05, 0.99, 40)
    distance = np.abs(y - mean) / deviation
    covered = np.array([(distance <= norm.ppf(0.5 + level / 2.0)).mean() for level in levels])

    def paint(ax: Any) -> None:
        ax.plot([0.0, 1.0], [0.0, 1.0], ":", color=PALETTE[1])
        ax.plot(levels, covered, color=PALETTE[0])
        ax.set(xlabel="nominal coverage", ylabel="share of rows covered")

    at_90 = float((distance <= norm.ppf(0.95)).mean())
    return draw(
        "Calibration of intervals",
        "On the dotted line, intervals of 90 % hold 90 % of the targets. Above it they are too "
        "wide, below it too narrow.",
        f"Coverage of predictive intervals: those of 90 % hold {100 * at_90:.1f} % of the targets.",
        paint,
    )
