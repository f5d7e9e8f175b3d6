"""Figures: diagrams of ranks (Demsar 2006), panels, files with the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askl.persistence import replacing
from studies.ranks import critical_difference, groups_alike


def draw_ranks(means: Mapping[str, float], n_datasets: int, highlight: str) -> Figure:
    """Draw mean ranks on a line; a bar joins methods that do not differ significantly.

    Parameters
    ----------
    means : mapping of str to float
        Mean rank of each method.
    n_datasets : int
    highlight : str
        Methods whose names begin so are written in bold.
    """
    ordered = dict(sorted(means.items(), key=lambda item: item[1]))
    names, ranks = list(ordered), list(ordered.values())
    difference = critical_difference(len(names), n_datasets)
    runs = groups_alike(ranks, difference)
    half = (len(names) + 1) // 2
    depth = 0.6 + 0.25 * len(runs)  # where the labels begin, below the bars
    figure = Figure(figsize=(8.0, 1.4 + 0.28 * (half + len(runs))), layout="constrained")
    axes = figure.subplots()
    _draw_axis(axes, len(names), difference)
    for level, (first, last) in enumerate(runs):
        axes.plot([ranks[first] - 0.04, ranks[last] + 0.04], [-0.3 - 0.25 * level] * 2, "k", lw=3)
    for index, (name, rank) in enumerate(ordered.items()):
        left = index < half
        height = -depth - 0.4 * (index if left else len(names) - 1 - index)
        edge = 0.6 if left else len(names) + 0.4
        axes.plot([rank, rank, edge], [0, height, height], color="0.4", lw=0.8)
        axes.text(
            edge + (-0.1 if left else 0.1),
            height,
            f"{name}  {rank:.2f}",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            weight="bold" if name.startswith(highlight) else "normal",
        )
    axes.set_ylim(-depth - 0.4 * half, 1.3)
    axes.set_title(f"Mean ranks over {n_datasets} data sets, 1 is best", fontsize=10)
    return figure


def _draw_axis(axes: Axes, n_methods: int, difference: float) -> None:
    axes.set_axis_off()
    axes.set_xlim(-0.6, n_methods + 1.6)
    axes.plot([1, n_methods], [0, 0], "k", lw=1)
    for rank in range(1, n_methods + 1):
        axes.plot([rank, rank], [0, 0.12], "k", lw=1)
        axes.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=8)
    # With few data sets the difference may be wider than the axis; then it is only written.
    shown = min(difference, n_methods - 1.0)
    axes.plot([1, 1 + shown], [0.85, 0.85], "k|-", lw=1.5)
    text = f"critical difference {difference:.2f}" + (" (cut)" if shown < difference else "")
    axes.text(1 + shown / 2, 0.95, text, ha="center", va="bottom", fontsize=8)


def make_panels(
    count: int, *, columns: int, size: tuple[float, float], legend: float
) -> tuple[Figure, list[Axes]]:
    """Make panels of a size in inches, in some columns, with room for a legend below them."""
    columns = min(columns, count)
    rows = -(-count // columns)
    width, height = size
    figure = Figure(figsize=(width * columns, height * rows + legend), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for panel in axes[count:]:
        panel.set_visible(False)
    return figure, axes[:count]


def save_figure(figure: Figure, path: Path, dpi: int = 150) -> Path:
    """Save a figure in the format of the file's ending; the same figure gives the same bytes."""
    metadata = {"Date": None} if path.suffix == ".svg" else None
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "askl"}), replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], dpi=dpi, metadata=metadata)
    return path
