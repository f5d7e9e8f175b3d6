"""Pictures of the records: mean ranks with their critical difference, and score against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.peers.models import PEERS
from benchmarks.peers.records import Record
from benchmarks.peers.statistics import (
    Ranks,
    Summary,
    alike,
    collect,
    critical_difference,
    lower_is_better,
    pareto_front,
    rank_models,
)
from benchmarks.peers.tables import make_summaries

RANKS, TIMES = "ranks.png", "times.png"
MARKERS = "os^vD<>phX*Pd"
OURS = "askl"


def draw_figures(records: Sequence[Record], folder: Path) -> list[Path]:
    """Draw what the records allow, and return the files."""
    ranks = rank_models(collect(records))
    paths = []
    if len(ranks.n_common) > 0 and len(ranks.models) > 1:
        paths.append(folder / RANKS)
        draw_ranks(ranks, paths[-1])
    if records:
        paths.append(folder / TIMES)
        draw_times(records, paths[-1])
    return paths


def draw_ranks(ranks: Ranks, path: Path) -> None:
    """Draw the critical-difference diagram: a bar joins models that cannot be told apart."""
    names, means = list(ranks.means), list(ranks.means.values())
    difference = critical_difference(len(names), len(ranks.n_common))
    runs = alike(means, difference)
    half = (len(names) + 1) // 2
    depth = 0.6 + 0.25 * len(runs)  # where the labels begin, below the bars
    figure = Figure(figsize=(8.0, 1.4 + 0.28 * (half + len(runs))), layout="constrained")
    axes = figure.subplots()
    _draw_axis(axes, len(names), difference)
    for level, (first, last) in enumerate(runs):
        axes.plot([means[first] - 0.04, means[last] + 0.04], [-0.3 - 0.25 * level] * 2, "k", lw=3)
    for index, (name, mean) in enumerate(zip(names, means, strict=True)):
        left = index < half
        height = -depth - 0.4 * (index if left else len(names) - 1 - index)
        _draw_label(axes, name, mean, height, edge=0.6 if left else len(names) + 0.4, left=left)
    axes.set_ylim(-depth - 0.4 * half, 1.3)
    axes.set_title(f"Mean ranks over {len(ranks.n_common)} data sets, 1 is best", fontsize=10)
    figure.savefig(path, dpi=150)


def _draw_axis(axes: Axes, n_models: int, difference: float) -> None:
    axes.set_axis_off()
    axes.set_xlim(-0.6, n_models + 1.6)
    axes.plot([1, n_models], [0, 0], "k", lw=1)
    for rank in range(1, n_models + 1):
        axes.plot([rank, rank], [0, 0.12], "k", lw=1)
        axes.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=8)
    # With few data sets the difference may be wider than the axis; then it is only written.
    shown = min(difference, n_models - 1.0)
    axes.plot([1, 1 + shown], [0.85, 0.85], "k|-", lw=1.5)
    text = f"critical difference {difference:.2f}" + (" (cut)" if shown < difference else "")
    axes.text(1 + shown / 2, 0.95, text, ha="center", va="bottom", fontsize=8)


def _draw_label(
    axes: Axes, name: str, mean: float, height: float, *, edge: float, left: bool
) -> None:
    axes.plot([mean, mean, edge], [0, height, height], color="0.4", lw=0.8)
    axes.text(
        edge + (-0.1 if left else 0.1),
        height,
        f"{name}  {mean:.2f}",
        ha="right" if left else "left",
        va="center",
        fontsize=9,
        weight="bold" if name.startswith(OURS) else "normal",
    )


def draw_times(records: Sequence[Record], path: Path) -> None:
    """Draw one panel for each data set; the line joins what none beats for its time."""
    found = make_summaries(records)
    columns = min(4, len(found))
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(3.4 * columns, 2.9 * rows + 1.0), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    errors = {name for name, models in collect(records).items() if lower_is_better(models)}
    handles = {}
    for panel, (dataset, models) in zip(axes, found.items(), strict=False):
        _draw_panel(panel, models, lower=dataset in errors)
        panel.set_title(dataset, fontsize=10)
        handles.update(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    for panel in axes[len(found) :]:
        panel.set_visible(False)
    place = {"loc": "outside lower center", "ncols": 2 * columns - 1, "frameon": False}
    figure.legend(handles.values(), handles.keys(), **place)
    figure.savefig(path, dpi=120)


def _draw_panel(panel: Axes, models: Mapping[str, Summary], *, lower: bool) -> None:
    points = {name: (each.fit_cpu_seconds, each.mean) for name, each in models.items()}
    front = pareto_front(points, lower=lower)
    panel.plot(*zip(*(points[name] for name in front), strict=True), color="0.7", lw=1, zorder=0)
    for index, name in enumerate(PEERS):
        if name in points:
            size, colour = (8, "black") if name.startswith(OURS) else (5, f"C{index}")
            panel.plot(*points[name], MARKERS[index], color=colour, ms=size, label=name)
    panel.set_xscale("log")
    panel.set_xlabel("seconds of processor to fit", fontsize=8)
    panel.set_ylabel("test RMSE" if lower else "test accuracy, %", fontsize=8)
    panel.tick_params(labelsize=8)
    if lower:
        panel.invert_yaxis()  # better is up in every panel
