"""Figures of what a model has learned, each with its alt text and how to read it."""

from __future__ import annotations

from typing import Any

import numpy as np

from askl._typing import Array
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
from askl.theory import BoundRecorder


def training_pictures(model: Any, recorder: BoundRecorder | None) -> list[Picture]:
    """Show how training went, and the bound along it where that was recorded."""
    pictures = []
    if model.history_:
        last = model.history_[-1]
        pictures.append(
            draw(
                "Training",
                "The objective is the loss plus both penalties; a flat end means more epochs "
                "would not help, a penalty above the loss means it decides.",
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
                "The complexity bound beside what it is about, the gap between test and training "
                "loss; it is far above, so look whether both rise and fall together.",
                f"At the end the bound is {last_point.complexity:.4g} "
                f"and the gap {last_point.gap:.4g}.",
                lambda ax: BoundTrajectoryDisplay.from_recorders({"": recorder}, ax=ax),
            )
        )
    return pictures


def kernel_pictures(model: Any, X: Any, y: Array) -> list[Picture]:
    """Show the kernel: as a matrix before and after, around one point, on its diagonal."""
    target = y if y.ndim == 1 else y[:, 0]
    what = "class" if hasattr(model, "classes_") else "target"
    order = f"Kernel matrix of rows sorted by {what}"
    pictures = [
        draw(
            "Kernel matrix before learning",
            f"Rows are sorted by {what}: bright blocks on the diagonal mean that the kernel "
            f"finds rows of like {what} alike.",
            f"{order}, frequencies as drawn.",
            lambda ax: KernelMatrixDisplay.from_estimator(model, X, target, before=True, ax=ax),
        ),
        draw(
            "Kernel matrix after learning",
            "The same rows: the sharper the blocks against the picture before, the more the "
            "kernel has learned from the targets.",
            f"{order}, learned frequencies.",
            lambda ax: KernelMatrixDisplay.from_estimator(model, X, target, ax=ax),
        ),
    ]
    if model.n_features_in_ > 1:
        pictures.append(
            draw(
                "Kernel around the median row",
                "Colour is k(x, ·) for x at the star while the two most relevant inputs vary; a "
                "stationary kernel would look the same around every x.",
                "Map of the kernel over a slice through input space.",
                lambda ax: KernelMapDisplay.from_estimator(model, X, ax=ax),
            )
        )
    pictures.append(
        draw(
            "Spread of k(x, x)",
            "A stationary kernel has k(x, x) = 1 for every row; the lower and wider the shape, "
            "the less stationary the kernel, and the smaller the trace in the bound.",
            "Distribution of k(x, x) over rows, before and after learning.",
            lambda ax: KernelDiagonalDisplay.from_estimator(model, X, ax=ax),
        )
    )
    return pictures


def spectrum_pictures(model: Any) -> list[Picture]:
    """Show the spectral density before and after learning."""
    relevant = int(np.argmax(model.feature_relevance_))
    name = input_names(model)[relevant]
    reading = (
        "Mass on the diagonal ω = ω' is stationary, mass beside it is not; mass far from the "
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
            "The same directions and scale of axes: where mass has gone is what the data asked "
            "for, each frequency counting by its weight in W.",
            "Density surface over learned frequency pairs, weighted by their use.",
            lambda ax: SpectralDensityDisplay.from_estimator(model, ax=ax),
        ),
        draw(
            "Frequencies along the first principal direction",
            "The direction in which the model changes fastest: where the learned curve lies above "
            "the dashed one, learning has added frequencies.",
            "Marginal density of frequencies along one direction, as drawn and learned.",
            lambda ax: MarginalDensityDisplay.from_estimator(model, ax=ax),
        ),
        draw(
            f"Frequencies of {name}",
            "The most relevant input: a wider curve after learning means faster change along it, "
            "a narrower one that it matters less.",
            f"Marginal density of the frequencies of {name}, as drawn and learned.",
            lambda ax: MarginalDensityDisplay.from_estimator(model, feature=relevant, ax=ax),
        ),
    ]


def prediction_pictures(model: Any, X: Any, y: Array) -> list[Picture]:
    """Show the head, the inputs that matter, decision regions and the features from above."""
    names, best = input_names(model), int(np.argmax(model.feature_relevance_))
    pictures = [
        draw(
            "Relevance of inputs",
            "The share each scaled input has in the mean squared gradient of the outputs: the "
            "longer, the more predictions react to it.",
            f"Bars, one an input; the most relevant is {names[best]}.",
            lambda ax: FeatureRelevanceDisplay.from_estimator(model, max_features=15, ax=ax),
        ),
        draw(
            "Singular values of the head",
            "Their sum is the trace norm in the bound; values at zero are directions of output "
            "space that the trace norm has switched off.",
            f"Singular values of a {model.weights_.shape[0]} by {model.weights_.shape[1]} head.",
            lambda ax: SingularValuesDisplay.from_estimator(model, ax=ax),
        ),
    ]
    if y.ndim == 1 and model.n_features_in_ > 1:
        pictures.append(
            draw(
                "Decision regions" if hasattr(model, "classes_") else "Prediction surface",
                "Background: predictions while the two most relevant inputs vary and all others "
                "stay at their median; points are real rows, whose other inputs differ.",
                "Predictions over a slice through input space.",
                lambda ax: DecisionRegionsDisplay.from_estimator(model, X, y, ax=ax),
            )
        )
    target = y if y.ndim == 1 else y[:, 0]
    pictures.append(
        draw(
            "Features seen from above",
            "φ(x) on its two principal components: rows of one colour that lie together are easy "
            "for a linear head to tell apart.",
            "Scatter plot of the first two principal components of the features.",
            lambda ax: FeatureEmbeddingDisplay.from_estimator(model, X, target, ax=ax),
        )
    )
    return pictures
