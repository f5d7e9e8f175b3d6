"""The paper's two figures and a critical-difference diagram, from records only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askl.persistence import replacing
from reproduction.datasets import find_row
from reproduction.protocol import METHODS
from reproduction.records import Record
from reproduction.statistics import Ranks, collect, rank_methods
from reproduction.tables import UNITS

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


def draw_ranks(axes: Axes, ranks: Ranks) -> Axes:
    """Draw a critical-difference diagram: mean ranks on a line, and bars over methods alike."""
    ordered = sorted(ranks.means, key=lambda method: ranks.means[method])
    axes.set(xlim=(0.8, len(METHODS) + 0.2), ylim=(-1.3 * len(ordered), 2.5), yticks=[])
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    axes.xaxis.tick_top()
    axes.set_xticks(range(1, len(METHODS) + 1))
    axes.set_title(
        f"mean rank over {ranks.n_datasets} data sets; "
        f"critical difference {ranks.critical_difference:.2f}"
    )
    for height, method in enumerate(ordered):
        # Better ones hang lower, so that no label is crossed by the next line.
        rank, level = ranks.means[method], -1.2 * (len(ordered) - height)
        axes.plot([rank, rank], [2.5, level], color=COLORS[method])
        axes.annotate(f" {method.upper()} {rank:.2f}", (rank, level), va="center")
    for height, (first, last) in enumerate(groups_alike(ranks)):
        level = 1.8 - 0.5 * height
        axes.plot([first - 0.03, last + 0.03], [level, level], color="black", lw=3)
    return axes


def groups_alike(ranks: Ranks) -> list[tuple[float, float]]:
    """Return the widest stretches of mean ranks that lie within the critical difference."""
    ordered = sorted(ranks.means.values())
    groups: list[tuple[float, float]] = []
    for first in ordered:
        last = max(rank for rank in ordered if rank - first <= ranks.critical_difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


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
            paths.append(_save(figure, folder / f"{dataset}-{quantity}.{file_format}"))
    ranks = rank_methods(collect(records))
    if ranks.means:
        figure = Figure(figsize=(6.0, 2.5), layout="constrained")
        draw_ranks(figure.subplots(), ranks)
        paths.append(_save(figure, folder / f"ranks.{file_format}"))
    return paths


def _with_history(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.get("history", {}).get("iteration"):
            found.setdefault(record["trial"]["dataset"], []).append(record)
    return found


def _save(figure: Figure, path: Path) -> Path:
    """Save a figure; the same records give the same bytes."""
    metadata = {"Date": None} if path.suffix == ".svg" else None
    with mpl.rc_context({"svg.hashsalt": "askl"}):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            figure.savefig(temporary, format=path.suffix[1:], dpi=150, metadata=metadata)
    return path
