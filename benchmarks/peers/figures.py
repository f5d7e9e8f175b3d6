"""Figures of the records: mean ranks with their critical difference, and score against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.peers.models import PEERS
from benchmarks.peers.statistics import (
    Summary,
    collect,
    lower_is_better,
    pareto_front,
    rank_models,
)
from benchmarks.peers.tables import make_summaries
from studies.diagrams import draw_ranks, make_panels, save_figure
from studies.store import Record

RANKS, TIMES = "ranks.png", "times.png"
MARKERS = "os^vD<>phX*Pd"
OURS = "askl"


def draw_figures(records: Sequence[Record], folder: Path) -> list[Path]:
    """Draw what the records allow, and return the files."""
    ranks = rank_models(collect(records))
    paths = []
    if len(ranks.n_common) > 0 and len(ranks.models) > 1:
        figure = draw_ranks(ranks.means, len(ranks.n_common), highlight=OURS)
        paths.append(save_figure(figure, folder / RANKS))
    if records:
        paths.append(save_figure(draw_times(records), folder / TIMES, dpi=120))
    return paths


def draw_times(records: Sequence[Record]) -> Figure:
    """Draw one panel for each data set; the line joins models that no faster one beats."""
    found = make_summaries(records)
    figure, axes = make_panels(len(found), columns=4, size=(3.4, 2.9), legend=1.0)
    errors = {name for name, models in collect(records).items() if lower_is_better(models)}
    handles: dict[str, Artist] = {}
    for panel, (dataset, models) in zip(axes, found.items(), strict=True):
        _draw_panel(panel, models, lower=dataset in errors)
        panel.set_title(dataset, fontsize=10)
        handles.update(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=7, frameon=False
    )
    return figure


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
