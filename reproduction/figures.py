"""The paper's two figures and a critical-difference diagram, from records only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.datasets import find_row
from reproduction.protocol import METHODS
from reproduction.statistics import collect, rank_methods
from reproduction.tables import UNITS
from studies.diagrams import draw_ranks, save_figure
from studies.store import Record

COLORS = dict(zip(METHODS, ("#888888", "#e69f00", "#56b4e9", "#009e73", "#d55e00"), strict=True))


def draw_curves(axes: Axes, records: Iterable[Record], quantity: str) -> Axes:
    """Draw one quantity of the histories over iterations: mean and deviation over splits.

    Parameters
    ----------
    axes : Axes
    records : iterable of records of one data set
    quantity : {"test", "objective"}
    """
    by_method: dict[str, list[dict[str, list[float]]]] = {}
    for record in records:
        by_method.setdefault(record["trial"]["method"], []).append(record["history"])
    for method in (method for method in METHODS if method in by_method):
        histories = by_method[method]
        length = min(len(history["iteration"]) for history in histories)
        values = np.array([history[quantity][:length] for history in histories])
        iterations = histories[0]["iteration"][:length]
        mean, deviation = values.mean(axis=0), values.std(axis=0)
        (line,) = axes.plot(iterations, mean, color=COLORS[method], label=method.upper())
        axes.fill_between(
            iterations, mean - deviation, mean + deviation, color=line.get_color(), alpha=0.2, lw=0
        )
    axes.set(xlabel="iteration")
    axes.legend()
    return axes


def make_figures(records: list[Record], folder: Path, file_format: str) -> list[Path]:
    """Draw all figures there are records for, and return their paths."""
    paths = []
    for dataset, found in _with_history(records).items():
        for quantity in ("test", "objective"):
            figure = Figure(figsize=(6.0, 4.0), layout="constrained")
            axes = draw_curves(figure.subplots(), found, quantity)
            label = UNITS[find_row(dataset).units[0]] if quantity == "test" else quantity
            axes.set(title=dataset, ylabel=label)
            if quantity == "objective":
                axes.set_yscale("log")
            paths.append(save_figure(figure, folder / f"{dataset}-{quantity}.{file_format}"))
    ranks = rank_methods(collect(records))
    if ranks.means:
        means = {method.upper(): rank for method, rank in ranks.means.items()}
        figure = draw_ranks(means, ranks.n_datasets, highlight="ASKL")
        paths.append(save_figure(figure, folder / f"ranks.{file_format}"))
    return paths


def _with_history(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.get("history", {}).get("iteration"):
            found.setdefault(record["trial"]["dataset"], []).append(record)
    return found
