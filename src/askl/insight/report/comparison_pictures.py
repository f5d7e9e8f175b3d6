"""Figures that show several models side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askl.insight.plots import (
    BoundTrajectoryDisplay,
    KernelDiagonalDisplay,
    KernelMatrixDisplay,
    SingularValuesDisplay,
)
from askl.insight.plots.display import PALETTE
from askl.insight.report.pictures import first_target
from askl.insight.report.scores import Score
from askl.insight.report.svg import Picture, draw
from askl.theory import BoundRecorder


def score_picture(column: Mapping[str, Score]) -> Picture:
    """Show one score of every model with its interval."""
    some = next(iter(column.values()))

    def paint(ax: Any) -> None:
        for position, score in enumerate(column.values()):
            color = PALETTE[position % len(PALETTE)]
            ax.plot([score.low, score.high], [position, position], color=color, linewidth=3)
            ax.plot(score.value, position, "o", color=color, markersize=8)
        ax.set_yticks(range(len(column)), list(column))
        ax.set(xlabel=some.name, ylim=(len(column) - 0.5, -0.5))
        ax.grid(visible=False, axis="y")

    better = "right" if some.larger_is_better else "left"
    values = ", ".join(f"{name} {score.value:.4g}" for name, score in column.items())
    return draw(
        f"{some.name[0].upper()}{some.name[1:]} of each model",
        f"Points are scores on the given rows, bars their 95 % intervals. Further {better} is "
        "better.",
        f"{some.name}: {values}.",
        paint,
    )


def training_pictures(models: Mapping[str, Any]) -> list[Picture]:
    """Show how all models trained, and their bounds where those were recorded."""

    def paint(ax: Any) -> None:
        for position, (name, model) in enumerate(models.items()):
            if model.history_:
                iterations = [progress.iteration for progress in model.history_]
                losses = [progress.loss for progress in model.history_]
                color = PALETTE[position % len(PALETTE)]
                ax.plot(iterations, losses, color=color, label=name)
        ax.set(xlabel="iteration", ylabel="training loss", yscale="log")
        if ax.get_lines():
            ax.legend()

    pictures = [
        draw(
            "Training loss",
            "Loss without penalties. A lower curve fits the training rows better, but not "
            "necessarily other rows. Models that are solved exactly have no curve.",
            f"Training loss over iterations of {len(models)} models.",
            paint,
        )
    ]
    recorders = {
        name: model.callback
        for name, model in models.items()
        if isinstance(model.callback, BoundRecorder) and model.callback.points
    }
    if recorders:
        pictures.append(
            draw(
                "Bound and generalisation gap",
                "Complexity bounds (solid) and observed gaps between test and training loss "
                "(dashed). A useful bound orders the models as their gaps do.",
                f"Bounds and gaps over training of {len(recorders)} models.",
                lambda ax: BoundTrajectoryDisplay.from_recorders(recorders, ax=ax),
            )
        )
    return pictures


def kernel_pictures(models: Mapping[str, Any], X: Any, y: Any) -> list[Picture]:
    """Show the kernels: diagonals and heads together, matrices one by one."""
    target = first_target(y)
    pictures = [
        draw(
            "Distribution of k(x, x)",
            "One for every row if the kernel is stationary; low and wide if it is not.",
            f"Distributions of k(x, x) over rows for {len(models)} models.",
            lambda ax: KernelDiagonalDisplay.from_estimators(models, X, ax=ax),
        ),
        draw(
            "Singular values of the heads",
            "Their sum is the trace norm in the bound. A curve that drops to zero early is that of "
            "a head of low rank.",
            f"Singular values of the heads of {len(models)} models.",
            lambda ax: SingularValuesDisplay.from_estimators(models, ax=ax),
        ),
    ]
    for name, model in models.items():
        pictures.append(
            draw(
                f"Kernel matrix of {name}",
                "Rows sorted by class or target. Bright blocks on the diagonal help a classifier, "
                "a smooth ridge along it helps a regressor.",
                f"Kernel matrix of {name}, rows sorted.",
                lambda ax, model=model: KernelMatrixDisplay.from_estimator(  # type: ignore[misc]
                    model, X, target, ax=ax
                ),
            )
        )
    return pictures
