"""Figures of results, made without pyplot: they need no window and no global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.diagrams import make_panels

OURS, REFERENCE, PAPER = "tab:blue", "tab:orange", "0.4"
PEER_STYLES = {
    "LightGBM": ("s", "tab:green"),
    "RBF-SVM": ("^", "tab:red"),
    "RBFSampler + ridge": ("D", "tab:purple"),
}


def draw_curves(records: Sequence[dict[str, Any]]) -> Figure:
    """Draw one panel for each data set: score against seconds, and the peers as points."""
    figure, axes = make_panels(len(records), columns=3, size=(4.2, 3.2), legend=0.6)
    for panel, record in zip(axes, records, strict=True):
        _draw_record(panel, record)
    labelled = axes[0].get_legend_handles_labels()
    figure.legend(*labelled, loc="outside lower center", ncols=6, frameon=False)
    return figure


def _draw_record(panel: Axes, record: dict[str, Any]) -> None:
    for name, colour in (("ours", OURS), ("reference", REFERENCE)):
        seconds, scores = zip(*(point.values() for point in record[name]), strict=True)
        panel.plot(seconds, scores, color=colour, label=name)
    for peer in record["peers"]:
        if "score" in peer:
            marker, colour = PEER_STYLES[peer["name"]]
            panel.plot(
                peer["seconds"], peer["score"], marker, color=colour, ls="", label=peer["name"]
            )
    panel.axhline(record["paper"], color=PAPER, ls="--", lw=1, label="ASKL, as published")
    panel.set_xscale("log")
    panel.set_xlabel("seconds of training")
    panel.set_title(record["data"])
    if record["measure"] == "rmse":
        panel.set_yscale("log")
        panel.set_ylabel("test RMSE")
    else:
        panel.set_ylim(record["paper"] - 10.0, 100.0)
        panel.set_ylabel("test accuracy, %")


def draw_scaling(sweeps: Sequence[dict[str, Any]]) -> Figure:
    """Draw time above and memory below for each sweep, on logarithmic axes."""
    figure = Figure(figsize=(3.4 * len(sweeps), 5.6), layout="constrained")
    axes = figure.subplots(2, len(sweeps), squeeze=False)
    for (above, below), sweep in zip(axes.T, sweeps, strict=True):
        values = np.array([point["value"] for point in sweep["points"]], dtype=float)
        seconds = np.array([point["seconds"] for point in sweep["points"]])
        middle = np.exp(np.log(seconds).mean() - sweep["slope"] * np.log(values).mean())
        above.loglog(values, seconds, "o", color=OURS)
        above.loglog(values, middle * values ** sweep["slope"], color=PAPER, lw=1)
        above.set_title(f"{sweep['task']}\ntime ~ {sweep['varied']}^{sweep['slope']:.2f}")
        below.semilogx(
            values, [point["over_data_mb"] for point in sweep["points"]], "o-", color=OURS
        )
        below.set_ylim(bottom=0.0)
        below.set_xlabel(sweep["varied"])
        for panel in (above, below):
            panel.set_xticks(values[::2], [f"{value:g}" for value in values[::2]])
            panel.set_xticks([], minor=True)
    axes[0, 0].set_ylabel("seconds of a fit")
    axes[1, 0].set_ylabel("peak memory beside the data, MB")
    return figure
