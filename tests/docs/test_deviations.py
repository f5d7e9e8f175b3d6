"""Every departure from the paper has a comment in the source and a row on the page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGE = (ROOT / "docs" / "deviations.md").read_text(encoding="utf-8")
MARK = "# NOTE[DIFF]: "


def place_of(line: int, tree: ast.Module | ast.ClassDef, name: str) -> str:
    """Return the dotted name of the function that a comment is in, or of what follows it."""
    node = next(node for node in tree.body if int(node.end_lineno or 0) >= line)
    target = getattr(node, "target", None)
    name = f"{name}.{target.id if isinstance(target, ast.Name) else getattr(node, 'name', '?')}"
    inside = isinstance(node, ast.ClassDef) and node.lineno < line
    return place_of(line, node, name) if inside else name


def comments() -> list[str]:
    """Return where the source departs from the paper."""
    found = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        numbers = [at for at, line in enumerate(text.splitlines(), start=1) if MARK in line]
        found += [place_of(number, ast.parse(text), module) for number in numbers]
    return sorted(found)


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if not row[0].startswith(("-", "the paper"))]


def test_every_row_has_its_comment_and_every_comment_its_row() -> None:
    assert sorted(row[-1].strip("`") for row in rows()) == comments()


def test_every_comment_gives_a_reason() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    reasons = re.findall(r"NOTE\[DIFF\](.*)", text)
    assert len(reasons) == len(rows()) > 20
    assert all(reason.startswith(": ") and len(reason) > 20 for reason in reasons)


def test_every_row_has_four_cells() -> None:
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []


def test_the_changes_of_errors_are_those_of_the_ablation() -> None:
    measured = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8").replace("-0.", "−0.")
    changes = re.findall(r"[+−]\d+\.\d ± \d+\.\d", PAGE)
    assert len(changes) > 5
    assert [change for change in changes if f"| {change} |" not in measured] == []
