"""Figures as parts of a page."""

from __future__ import annotations

import re
from importlib.resources import files
from xml.etree import ElementTree

import pytest

from askl.insight.plots.display import GRID, INK, PALETTE
from askl.insight.report.svg import draw


def test_figures_take_their_colours_from_the_page():
    picture = draw("Lines", "Read.", 'A "quoted" line.', lambda ax: ax.plot([0, 1], [2, 3]))
    assert "var(--series-0)" in picture.svg
    assert "currentColor" in picture.svg
    assert "#24292f" not in picture.svg
    assert 'aria-label="A &quot;quoted&quot; line."' in picture.svg
    assert "<text" in picture.svg  # text stays text


def style() -> str:
    return files("askl.insight.report").joinpath("style.css").read_text(encoding="utf-8")


def test_every_colour_of_a_figure_has_its_own_on_light_and_on_dark_pages():
    light, dark = style().split("@media (prefers-color-scheme: dark)")[:2]
    names = [f"--series-{position}" for position in range(len(PALETTE))]
    for scheme in (light, dark):
        values = [re.search(rf"{name}: (#\w+)", scheme).group(1) for name in [*names, "--grid"]]
        assert len(set(values)) == len(values)


def test_no_fixed_colour_of_the_style_is_left():
    def paint(ax):
        for position in range(len(PALETTE)):
            ax.plot([0, position], label="a")
        ax.set(xlabel="x", title="t")
        ax.legend()

    body = draw("Lines", "Read.", "Lines of all colours.", paint).svg
    assert not [color for color in (*PALETTE, INK, GRID) if color in body]
    assert {f"var(--series-{position})" in body for position in range(len(PALETTE))} == {True}


def test_a_figure_is_one_element_without_a_size_of_its_own():
    picture = draw("A", "R.", "A line.", lambda ax: ax.plot([0, 1]), size=(2.0, 1.0))
    root = ElementTree.fromstring(picture.svg)
    assert root.tag.endswith("svg")
    assert {"width", "height"} & set(root.attrib) == set()
    assert root.attrib["viewBox"].split()[2:] == ["144", "72"]
    assert root.attrib["role"] == "img"


def test_the_same_figure_is_the_same_text_and_two_have_no_name_in_common():
    first, again = (draw("A", "R.", "A line.", lambda ax: ax.plot([0, 1])).svg for _ in "ab")
    other = draw("B", "R.", "A line.", lambda ax: ax.plot([0, 1])).svg
    assert first == again
    names = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (first, other)]
    assert not names[0] & names[1]


@pytest.mark.parametrize("name", ["title", "reading", "alt", "svg"])
def test_a_picture_keeps_its_texts(name):
    picture = draw("A title", "How to read it.", "What it shows.", lambda ax: ax.plot([0, 1]))
    expected = {"title": "A title", "reading": "How to read it.", "alt": "What it shows."}
    assert getattr(picture, name) == expected.get(name, picture.svg)
