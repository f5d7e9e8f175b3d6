"""What all displays share: axes, style, colours and names."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from askl.insight.plots import Display, house_style
from askl.insight.plots.display import PALETTE, class_colors, input_names, require_matplotlib
from tests.models import classifier


class Line(Display):
    def _draw(self, ax):
        ax.plot([0, 1], [2, 3])


def test_a_display_draws_on_new_axes_or_on_given_ones():
    first = Line().plot()
    assert first.figure_ is first.ax_.figure
    figure, given = pyplot.subplots()
    assert first.plot(given) is first
    assert (first.ax_, first.figure_) == (given, figure)
    assert given.get_lines()[0].get_ydata().tolist() == [2, 3]


def test_a_display_of_its_own_must_draw():
    with pytest.raises(NotImplementedError):
        Display().plot()


def test_the_house_style_ends_with_its_block():
    before = matplotlib.rcParams["axes.edgecolor"], matplotlib.rcParams["axes.prop_cycle"]
    with house_style():
        assert not matplotlib.rcParams["axes.spines.top"]
        _, ax = pyplot.subplots()
        lines = [ax.plot([0, number])[0].get_color() for number in range(7)]
        assert lines == [*PALETTE, PALETTE[0]]
    assert before == (matplotlib.rcParams["axes.edgecolor"], matplotlib.rcParams["axes.prop_cycle"])


@pytest.mark.parametrize("n_classes", [1, len(PALETTE), len(PALETTE) + 1, 40])
def test_every_class_has_a_colour_of_its_own(n_classes):
    colors = class_colors(n_classes)
    assert len({matplotlib.colors.to_hex(color) for color in colors}) == n_classes


def test_inputs_have_the_names_of_the_fit_or_numbers(classes):
    X, y = classes
    plain = classifier(max_epochs=1).fit(X, y)
    named = classifier(max_epochs=1).fit(pd.DataFrame(X, columns=["u", "v", "w"]), y)
    assert input_names(plain) == ["input 0", "input 1", "input 2"]
    assert input_names(named) == ["u", "v", "w"]
    assert input_names(named, np.array(["a", "b", "c"])) == ["a", "b", "c"]


def test_matplotlib_is_what_is_required():
    assert require_matplotlib() is matplotlib
