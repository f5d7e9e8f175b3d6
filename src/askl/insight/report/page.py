"""From texts, tables and figures to one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from askl.insight.report.svg import Picture
from askl.persistence import write_atomic

# The browser may load nothing from outside: the page makes no requests.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Table(NamedTuple):
    """A table of texts; what looks like a number is not wrapped."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Section(NamedTuple):
    """A headed part of a page.

    Attributes
    ----------
    title : str
    introduction : str
        A paragraph; may be empty.
    tables : sequence of Table
    pictures : sequence of Picture
    """

    title: str
    introduction: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()


class Card(NamedTuple):
    """A number at the head of the page: what it is, its value, and a remark below it."""

    label: str
    value: str
    remark: str = ""


def _looks_like_number(text: str) -> bool:
    return bool(text) and (text[0].isdigit() or (text[0] in "-−≤±.∞" and len(text) > 1))


def _row(cells: Sequence[str], tag: str = "td") -> str:
    def cell(text: str) -> str:
        kind = ' class="number"' if tag == "td" and _looks_like_number(text) else ""
        marked = escape(text)
        if text.startswith("**"):  # the best of its column
            marked, kind = f"<strong>{escape(text[2:])}</strong>", ' class="number"'
        return f"<{tag}{kind}>{marked}</{tag}>"

    return "<tr>" + "".join(cell(text) for text in cells) + "</tr>"


def _table(table: Table) -> str:
    header = f"<thead>{_row(table.header, 'th')}</thead>" if any(table.header) else ""
    body = "".join(_row(row) for row in table.rows)
    return f'<div class="scroll" tabindex="0"><table>{header}<tbody>{body}</tbody></table></div>'


def _figure(picture: Picture) -> str:
    return (
        f"<figure><h3>{escape(picture.title)}</h3>{picture.svg}"
        f"<figcaption>{escape(picture.reading)}</figcaption></figure>"
    )


def _anchor(title: str) -> str:
    """Return a name for links: letters and digits only, so that no title can end an attribute."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _section(section: Section) -> str:
    introduction = f"<p>{escape(section.introduction)}</p>" if section.introduction else ""
    tables = "".join(_table(table) for table in section.tables)
    pictures = "".join(_figure(picture) for picture in section.pictures)
    grid = f'<div class="figures">{pictures}</div>' if pictures else ""
    title = escape(section.title)
    return (
        f'<section id="{_anchor(section.title)}"><h2>{title}</h2>'
        f"{introduction}{tables}{grid}</section>"
    )


def _card(card: Card) -> str:
    return (
        f'<div class="card"><span class="label">{escape(card.label)}</span>'
        f'<span class="value">{escape(card.value)}</span>'
        f'<span class="remark">{escape(card.remark)}</span></div>'
    )


def render(
    title: str, subtitle: str, cards: Iterable[Card], sections: Sequence[Section], footer: str
) -> str:
    """Lay out a page.

    Examples
    --------
    >>> page = render("A title", "", [], [Section("Scores")], "")
    >>> '<section id="scores"><h2>Scores</h2>' in page
    True
    """
    style = files("askl.insight.report").joinpath("style.css").read_text(encoding="utf-8")
    links = "".join(
        f'<a href="#{_anchor(section.title)}">{escape(section.title)}</a>' for section in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p>{escape(subtitle)}</p>"
        f'<div class="cards">{"".join(map(_card, cards))}</div></header>'
        f'<nav aria-label="Sections">{links}</nav>'
        f"<main>{''.join(map(_section, sections))}</main>"
        f"<footer>{escape(footer)}</footer></body></html>\n"
    )


def write_page(path: str | Path, page: str) -> Path:
    """Write a page to a file, and return its path."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(target, page.encode("utf-8"))
    return target
