"""Figures of what a model has learned, each with a text for screen readers and how to read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askl._typing import Array
from askl.insight.members import relevance_of
from askl.insight.plots import (
    BoundTrajectoryDisplay,
    DecisionRegionsDisplay,
    FeatureEmbeddingDisplay,
    FeatureRelevanceDisplay,
    KernelDiagonalDisplay,
    KernelMapDisplay,
    KernelMatrixDisplay,
    MarginalDensityDisplay,
    SingularValuesDisplay,
    SpectralDensityDisplay,
    TrainingCurvesDisplay,
)
from askl.insight.plots.display import input_names
from askl.insight.report.svg import Picture, draw
from askl.insight.rows import columns_of
from askl.theory import BoundRecorder


def training_pictures(model: Any, recorder: BoundRecorder | None) -> list[Picture]:
    """Show how training went, and the bound along it where that was recorded."""
    pictures = []
    if model.history_:
        last = model.history_[-1]
        pictures.append(
            draw(
                "Training",
                "The objective is the loss plus both penalties. If the curves end flat, more "
                "epochs would not help; a penalty above the loss dominates it.",
                f"Curves over {last.epoch} epochs; loss {last.loss:.4g}, "
                f"objective {last.objective:.4g} at the end.",
                lambda ax: TrainingCurvesDisplay.from_estimator(model, ax=ax),
            )
        )
    if recorder is not None and recorder.points:
        last_point = recorder.points[-1]
        pictures.append(
            draw(
                "Bound and generalisation gap",
                "The complexity bound and what it bounds, the gap between test and training loss. "
                "The bound is far above the gap: see whether both rise and fall together.",
                f"At the end the bound is {last_point.complexity:.4g} "
                f"and the gap {last_point.gap:.4g}.",
                lambda ax: BoundTrajectoryDisplay.from_recorders({"": recorder}, ax=ax),
            )
        )
    return pictures


def kernel_pictures(model: Any, X: Any, y: Array, names: Sequence[str] | None) -> list[Picture]:
    """Show the kernel: as a matrix before and after, around one point, on its diagonal."""
    target = first_target(y)
    what = "class" if hasattr(model, "classes_") else "target"
    order = f"Kernel matrix of rows sorted by {what}"
    pictures = [
        draw(
            "Kernel matrix before learning",
            f"Rows are sorted by {what}: bright blocks on the diagonal mean that rows of "
            f"similar {what} are similar for the kernel.",
            f"{order}, frequencies as drawn.",
            lambda ax: KernelMatrixDisplay.from_estimator(model, X, target, before=True, ax=ax),
        ),
        draw(
            "Kernel matrix after learning",
            "The same rows: the sharper the blocks compared with the picture before, the more the "
            "kernel has learned from the targets.",
            f"{order}, learned frequencies.",
            lambda ax: KernelMatrixDisplay.from_estimator(model, X, target, ax=ax),
        ),
    ]
    if can_be_sliced(X):
        pictures.append(
            draw(
                "Kernel around the median row",
                "Colour is k(x, ·) for x at the star when the two most relevant inputs vary. A "
                "stationary kernel would look the same around every x.",
                "Map of the kernel over a slice through input space.",
                lambda ax: KernelMapDisplay.from_estimator(model, X, names=names, ax=ax),
            )
        )
    pictures.append(
        draw(
            "Distribution of k(x, x)",
            "A stationary kernel has k(x, x) = 1 for every row. The lower and wider the shape, the "
            "less stationary the kernel, and the smaller the trace in the bound.",
            "Distribution of k(x, x) over rows, before and after learning.",
            lambda ax: KernelDiagonalDisplay.from_estimator(model, X, ax=ax),
        )
    )
    return pictures


def spectrum_pictures(model: Any, names: Sequence[str] | None) -> list[Picture]:
    """Show the spectral density before and after learning."""
    relevant = int(np.argmax(relevance_of(model)))
    name = input_names(model, names)[relevant]
    reading = (
        "Mass on the diagonal ω = ω' is stationary, mass beside it is not. Mass far from the "
        "centre makes the function change fast."
    )
    return [
        draw(
            "Spectral density before learning",
            reading,
            "Density surface over frequency pairs as drawn.",
            lambda ax: SpectralDensityDisplay.from_estimator(model, before=True, ax=ax),
        ),
        draw(
            "Spectral density after learning",
            "The same direction and axes: learning has moved mass to the frequencies that predict "
            "the target. Each frequency counts by its weight in W.",
            "Density surface over learned frequency pairs, weighted by their use.",
            lambda ax: SpectralDensityDisplay.from_estimator(model, ax=ax),
        ),
        draw(
            "Frequencies along the first principal direction",
            "The direction in which the model changes fastest. Where the learned curve is above "
            "the dashed one, learning has added frequencies.",
            "Marginal density of frequencies along one direction, as drawn and learned.",
            lambda ax: MarginalDensityDisplay.from_estimator(model, ax=ax),
        ),
        draw(
            f"Frequencies of {name}",
            "The most relevant input. A wider curve after learning means that the function changes "
            "faster along it, a narrower one that it changes more slowly.",
            f"Marginal density of the frequencies of {name}, as drawn and learned.",
            lambda ax: MarginalDensityDisplay.from_estimator(
                model, feature=relevant, names=names, ax=ax
            ),
        ),
    ]


def relevance_picture(model: Any, names: Sequence[str] | None) -> Picture:
    """Show the inputs that matter."""
    best = input_names(model, names)[int(np.argmax(relevance_of(model)))]
    return draw(
        "Relevance of inputs",
        "The share of each scaled input in the mean squared gradient of the outputs: the longer "
        "the bar, the more predictions react to it.",
        f"A bar for each input; the most relevant is {best}.",
        lambda ax: FeatureRelevanceDisplay.from_estimator(
            model, names=names, max_features=15, ax=ax
        ),
    )


def head_picture(model: Any) -> Picture:
    """Show the singular values of the head of a plain model."""
    return draw(
        "Singular values of the head",
        "Their sum is the trace norm in the bound; a value of zero is a direction of output space "
        "that the trace norm has switched off.",
        f"Singular values of a {model.weights_.shape[0]} by {model.weights_.shape[1]} head.",
        lambda ax: SingularValuesDisplay.from_estimator(model, ax=ax),
    )


def prediction_pictures(model: Any, X: Any, y: Array, names: Sequence[str] | None) -> list[Picture]:
    """Show predictions over two inputs, and the features of the rows."""
    pictures = []
    if y.ndim == 1 and can_be_sliced(X):
        pictures.append(
            draw(
                "Decision regions" if hasattr(model, "classes_") else "Prediction surface",
                "Background: predictions when the two most relevant inputs vary and all others "
                "have their median. Points: rows, whose other inputs differ from the median.",
                "Predictions over a slice through input space.",
                lambda ax: DecisionRegionsDisplay.from_estimator(model, X, y, names=names, ax=ax),
            )
        )
    pictures.append(
        draw(
            "Features of the rows",
            "φ(x) on its first two principal components: a linear head separates colours that lie "
            "apart easily.",
            "Scatter plot of the first two principal components of the features.",
            lambda ax: FeatureEmbeddingDisplay.from_estimator(model, X, first_target(y), ax=ax),
        )
    )
    return pictures


def can_be_sliced(X: Any) -> bool:
    """Return True if rows have two inputs or more, all of them numbers."""
    return X.shape[1] > 1 and all(column.dtype.kind == "f" for column in columns_of(X))


def first_target(y: Array) -> Array:
    """Return the targets, of several outputs those of the first."""
    return y if y.ndim == 1 else y[:, 0]
