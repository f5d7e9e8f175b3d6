"""Pages: escaping, anchors, tables, and the file."""

from __future__ import annotations

import re

import pytest

from askl.insight.report.page import Card, Section, Table, render, write_page
from askl.insight.report.svg import Picture
from tests.insight.report.pages import Page

HOSTILE = "<script>alert('&')</script>"


def page_of(*sections: Section, cards=(), title="T", subtitle="S", footer="F") -> Page:
    return Page(render(title, subtitle, cards, sections, footer))


def test_every_text_is_escaped():
    picture = Picture(HOSTILE, HOSTILE, "alt", "<svg></svg>")
    table = Table([HOSTILE, "b"], [[HOSTILE, f"**{HOSTILE}"]])
    page = page_of(
        Section(HOSTILE, HOSTILE, [table], [picture]),
        cards=[Card(HOSTILE, HOSTILE, HOSTILE)],
        title=HOSTILE,
        subtitle=HOSTILE,
        footer=HOSTILE,
    )
    assert "<script" not in page.text
    assert page.text.count("&lt;script&gt;alert(") == 15
    assert page.anchors == ["script-alert-script"]
    assert page.rows == [[HOSTILE, "b"], [HOSTILE, HOSTILE]]


def test_sections_can_be_jumped_to():
    page = page_of(Section("Scores"), Section("Heaviest member"))
    assert page.anchors == ["scores", "heaviest-member"]
    assert page.addresses == ["#scores", "#heaviest-member"]
    assert page.headings == ["Scores", "Heaviest member"]


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("0.5", True),
        ("-1e-3", True),
        ("≤ 3", True),
        ("±2", True),
        ("∞ at most", True),
        ("-", False),
        ("", False),
        ("none", False),
        ("**0.5", True),
    ],
)
def test_cells_that_look_like_numbers_are_not_wrapped(text, is_number):
    page = page_of(Section("A", "", [Table(["", ""], [[text]])]))
    assert ('<td class="number">' in page.text) is is_number


def test_the_best_of_a_column_is_bold():
    page = page_of(Section("A", "", [Table(["x"], [["**0.9"], ["0.8"]])]))
    assert re.findall("<strong>(.*?)</strong>", page.text) == ["0.9"]


def test_a_table_without_a_header_has_none():
    assert "<thead>" not in page_of(Section("A", "", [Table(["", ""], [["a", "b"]])])).text
    assert "<thead>" in page_of(Section("A", "", [Table(["", "x"], [["a", "b"]])])).text


def test_empty_parts_are_left_out():
    page = page_of(Section("A"))
    assert "<figure" not in page.text
    assert "<table" not in page.text
    assert '<section id="a"><h2>A</h2></section>' in page.text


def test_figures_have_a_heading_and_a_caption():
    page = page_of(Section("A", "", (), [Picture("Curve", "Read it.", "alt", "<svg></svg>")]))
    assert "<h3>Curve</h3><svg></svg><figcaption>Read it.</figcaption>" in page.text


def test_the_browser_may_load_nothing():
    page = page_of(Section("A"))
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page.text
    assert "<script" not in page.text


def test_a_page_is_written_to_new_folders(tmp_path):
    path = tmp_path / "a" / "b" / "page.html"
    assert write_page(path, "ü") == path
    assert path.read_bytes() == "ü".encode()
    assert write_page(str(path), "other").read_text(encoding="utf-8") == "other"
    assert [entry.name for entry in path.parent.iterdir()] == ["page.html"]
