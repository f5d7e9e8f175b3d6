"""What all displays share: axes, style, colours and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

# Readable on white and on black; on dark pages the report replaces each by a lighter one.
PALETTE = ("#1f6feb", "#d1603d", "#2da44e", "#8250df", "#bf8700", "#1b7c83")
INK = "#24292f"
GRID = "#d8dee4"

_STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "grid.color": GRID,
    "legend.framealpha": 0.0,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

Self = TypeVar("Self", bound="Display")


def require_matplotlib() -> Any:
    """Import matplotlib, or raise and tell how to install it."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(
            "Plots and reports need matplotlib, which is not installed. "
            "Install it with: pip install askl[plots]"
        ) from error
    return matplotlib


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of the report and the documentation.

    Examples
    --------
    >>> from askl.insight.plots import house_style
    >>> with house_style():
    ...     pass  # draw here
    """
    matplotlib = require_matplotlib()
    style = {**_STYLE, "axes.prop_cycle": matplotlib.cycler(color=PALETTE)}
    with matplotlib.rc_context(style):
        yield


class Display:
    """A figure that is computed once and can be drawn on any axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from askl.insight.plots import Display
    >>> class Line(Display):
    ...     def _draw(self, ax):
    ...         ax.plot([0, 1], [0, 1])
    >>> len(Line().plot().ax_.get_lines())
    1
    """

    ax_: Any
    figure_: Any

    def plot(self: Self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        The display itself, with ``ax_`` and ``figure_`` set
        """
        if ax is None:
            require_matplotlib()
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


def class_colors(n_classes: int) -> list[Any]:
    """Return one colour for each class: the palette, or a rainbow where it is too short."""
    if n_classes <= len(PALETTE):
        return list(PALETTE[:n_classes])
    colormap = require_matplotlib().colormaps["turbo"]
    return [colormap(position) for position in np.linspace(0.05, 0.95, n_classes)]


def input_names(estimator: Any, names: Sequence[str] | None = None) -> list[str]:
    """Return the given names, those that an estimator was fitted with, or numbered ones."""
    if names is not None:
        return [str(name) for name in names]
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"input {position}" for position in range(estimator.n_features_in_)]
