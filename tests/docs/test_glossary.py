"""The glossary's names are those of the source."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_every_name_of_a_symbol_is_used_in_the_source() -> None:
    table = PAGE.split("| symbol |")[1].split("\n\n")[0]
    names = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row)}
    files = sorted((ROOT / "src").rglob("*.py"))
    words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in files)))
    assert len(names) > 15
    assert names - words == set()


def test_every_symbol_and_every_word_has_one_row() -> None:
    first_cells = re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
    assert len(first_cells) == len(set(first_cells)) > 25
