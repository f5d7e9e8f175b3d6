"""Just enough of a browser to read a report: headings, tables, figures, and whether tags match."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "br", "img"}


class Page(HTMLParser):
    """The parts of a page: headings, links, cards, the cells of tables, captions of figures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.open: list[str] = []
        self.headings: list[str] = []
        self.labels: list[str | None] = []
        self.captions: list[str] = []
        self.addresses: list[str] = []
        self.rows: list[list[str]] = []
        self.anchors: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        named = dict(attributes)
        if tag == "svg":
            self.labels.append(named.get("aria-label"))
        if tag == "section":
            self.anchors.append(named["id"])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.addresses += [
            named[key] for key in ("src", "href", "xlink:href", "srcset", "data") if key in named
        ]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        within = self.open[-1] if self.open else ""
        if within == "h2":
            self.headings.append(data)
        if within == "figcaption":
            self.captions.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        """The one row of all tables that begins with a text."""
        (found,) = (row for row in self.rows if row and row[0] == first)
        return found


def read(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def check(path: Path, *, at_least: int) -> Page:
    """What every report must be: whole, alone, small, and fit for those who cannot see."""
    page = read(path)
    text = page.text
    assert path.stat().st_size < 5 * 2**20
    assert len(page.labels) == len(page.captions) >= at_least
    assert all(label and len(label) > 20 for label in page.labels)
    assert all(caption.strip().endswith(".") for caption in page.captions)
    assert all(a.startswith(("#", "data:image/png;base64,")) for a in page.addresses)
    assert {f"#{anchor}" for anchor in page.anchors} == {
        a for a in page.addresses if a.startswith("#") and a[1:] in page.anchors
    }
    outside = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in text
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {
        f"#{name}" for name in re.findall(r'id="([^"]+)"', text)
    }
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
    assert "default-src 'none'" in text
    return page
