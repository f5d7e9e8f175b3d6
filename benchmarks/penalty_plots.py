"""Pictures of the penalty paths: a column of panels for each data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.penalty_tables import (
    by_feature_strength,
    chosen_loss,
    chosen_value,
    mean,
    names_of,
    select,
)
from studies.store import Record

COLUMNS = 4
COLOURS = {0: "0.45", 8: "tab:blue", 30: "tab:red"}
STYLES = {"frobenius": "-", "trace": "--"}
# Each line: the method that learned the features, its epochs, and the norm of the solved head.
LINES = (
    ("nsk", 0, "frobenius", "assigned, Frobenius"),
    ("nsk", 0, "trace", "assigned, trace"),
    ("nskl", 8, "frobenius", "NSKL, 8 epochs, Frobenius"),
    ("askl", 8, "trace", "ASKL, 8 epochs, trace"),
    ("nskl", 30, "frobenius", "NSKL, 30 epochs, Frobenius"),
    ("askl", 30, "trace", "ASKL, 30 epochs, trace"),
)
TRAINED = "ASKL, {} epochs, trained head"
FIELDS = {"log_loss": "held-out log loss", "trace_norm": "‖W‖_*", "rank": "rank", "bound": "bound"}
HEIGHTS = {"log_loss": 2.2, "feature_norm": 1.0, "trace_norm": 1.0, "rank": 0.7, "bound": 1.0}
DrawLines = Callable[[dict[str, Axes], Sequence[Record]], None]


def plot_head_paths(records: Sequence[Record], path: Path) -> None:
    """Draw log loss, ‖W‖_*, rank and bound against λ₁, where λ₂ is zero."""
    weightless = select(records, feature_strength=0.0)
    figure = draw_grid(weightless, FIELDS, "strength λ₁", draw_head_paths)
    figure.savefig(path, dpi=100)


def draw_head_paths(panels: dict[str, Axes], records: Sequence[Record]) -> None:
    for method, epochs, norm, label in LINES:
        here = select(records, method=method, epochs=epochs, head_norm=norm)
        strengths, style = here[0]["strength"], line_style(epochs, STYLES[norm])
        for field, panel in panels.items():
            curve = np.mean([each[field] for each in here], axis=0)
            # Log losses have two values, one for each half of the held-out rows.
            curve = curve.mean(axis=1) if field == "log_loss" else curve
            panel.plot(strengths, curve, label=label, **style)
            if field == "log_loss":
                least = int(np.argmin(curve))
                panel.plot(strengths[least], curve[least], "o", ms=4, color=COLOURS[epochs])
        if method == "askl":
            style = line_style(epochs, ":")
            panels["log_loss"].axhline(
                mean(here, "trained_head"), label=TRAINED.format(epochs), **style
            )
    panels["log_loss"].set_xscale("log")
    for field in ("trace_norm", "bound"):
        panels[field].set_yscale("log", nonpositive="mask")
    zoom(panels["log_loss"], 2.0)


def line_style(epochs: int, dashes: str) -> dict[str, Any]:
    return {"color": COLOURS[epochs], "ls": dashes, "lw": 1.3}


def plot_feature_paths(records: Sequence[Record], path: Path) -> None:
    """Draw the same against λ₂, at the λ₁ that held-out rows chose, and the mean of ‖φ‖²."""
    learned = [each for each in records if each["epochs"]]
    fields = {"log_loss": FIELDS["log_loss"], "feature_norm": "mean ‖φ‖²", **FIELDS}
    draw_grid(learned, fields, "strength λ₂", draw_feature_paths).savefig(path, dpi=100)


def draw_feature_paths(panels: dict[str, Axes], records: Sequence[Record]) -> None:
    strengths = by_feature_strength(records)
    places = range(len(strengths))
    for method, epochs, norm, label in LINES:
        here = select(records, method=method, epochs=epochs, head_norm=norm)
        groups = by_feature_strength(here).values()
        if not groups:
            continue
        for field, panel in panels.items():
            curve = [value_at(group, field) for group in groups]
            panel.plot(places, curve, marker=".", label=label, **line_style(epochs, STYLES[norm]))
        if method == "askl":
            curve = [mean(group, "trained_head") for group in groups]
            style = line_style(epochs, ":")
            panels["log_loss"].plot(places, curve, label=TRAINED.format(epochs), **style)
    panels["log_loss"].set_xticks(places, [f"{strength:g}" for strength in strengths])
    zoom(panels["log_loss"], 1.6)


def value_at(records: Sequence[Record], field: str) -> float:
    """Return a field of the chosen heads, the mean over splits."""
    if field == "log_loss":
        return chosen_loss(records)
    if field == "feature_norm":
        return mean(records, field)
    return chosen_value(records, field)


def draw_grid(
    records: Sequence[Record], fields: dict[str, str], x_label: str, draw: DrawLines
) -> Figure:
    """Draw a column of panels for each data set, and the legend in the place after the last."""
    names = names_of(records)
    blocks = len(names) // COLUMNS + 1
    heights = [HEIGHTS[field] for field in fields]
    size = (3.1 * COLUMNS, blocks * (1.25 * sum(heights) + 0.6))
    figure = Figure(figsize=size, layout="constrained")
    places = figure.subfigures(blocks, COLUMNS, squeeze=False).ravel()
    for place, name in zip(places, names, strict=False):
        axes = place.subplots(len(fields), sharex=True, height_ratios=heights)
        panels = dict(zip(fields, axes, strict=True))
        here = select(records, data=name)
        draw(panels, here)
        for field, panel in panels.items():
            panel.set_ylabel(fields[field])
            panel.grid(alpha=0.3)
        panels["rank"].set_ylim(-0.3, max(each["n_outputs"] for each in here) - 0.7)
        place.align_ylabels(axes)
        axes[0].set_title(name)
        axes[-1].set_xlabel(x_label)
    places[len(names)].legend(*axes[0].get_legend_handles_labels(), loc="center", frameon=False)
    return figure


def zoom(panel: Axes, most: float) -> None:
    """Show values up to a multiple of the smallest one, and so the place of the minimum."""
    least = min(float(np.min(line.get_ydata())) for line in panel.get_lines())
    panel.set_ylim(0.95 * least, most * least)
