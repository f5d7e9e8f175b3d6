"""Figures as inline SVG, with the colours of the page, which may be light or dark."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from askl.insight.plots.display import GRID, INK, PALETTE, house_style, require_matplotlib

# What matplotlib writes, and the style sheet's name for it.
_THEME = {
    INK: "currentColor",
    GRID: "var(--grid)",
    **{color: f"var(--series-{position})" for position, color in enumerate(PALETTE)},
}


class Picture(NamedTuple):
    """One figure of a report.

    Attributes
    ----------
    title : str
    reading : str
        How to read it.
    alt : str
        What it shows, for screen readers.
    svg : str
    """

    title: str
    reading: str
    alt: str
    svg: str


def draw(
    title: str,
    reading: str,
    alt: str,
    paint: Callable[[Any], object],
    *,
    size: tuple[float, float] = (4.8, 3.6),
) -> Picture:
    """Call ``paint(ax)`` on new axes, and return the figure as SVG with colours of the page.

    Examples
    --------
    >>> picture = draw("A line", "It goes up.", "A rising line.", lambda ax: ax.plot([0, 1]))
    >>> "var(--series-0)" in picture.svg
    True
    """
    matplotlib = require_matplotlib()
    from matplotlib.figure import Figure

    # Text stays text, not outlines: smaller, and in the fonts of the page.
    options = {"svg.fonttype": "none", "svg.hashsalt": title, "savefig.transparent": True}
    with house_style(), matplotlib.rc_context(options):
        figure = Figure(figsize=size)
        paint(figure.add_subplot())
        stream = io.StringIO()
        figure.savefig(stream, format="svg", dpi=110, metadata={"Date": None})
    return Picture(title, reading, alt, _inline(stream.getvalue(), alt))


def _inline(svg: str, alt: str) -> str:
    """Turn an SVG file into a part of a page: no prolog, no fixed size, colours of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # Names of groups are not used, and several figures would have the same ones.
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    head, body = svg.split(">", 1)
    view = re.search(r'viewBox="[^"]*"', head)
    for color, name in _THEME.items():
        body = body.replace(color, name)
    label = html.escape(alt, quote=True)
    namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    box = view.group() if view else ""
    return f'<svg {namespaces} {box} role="img" aria-label="{label}">{body}'
