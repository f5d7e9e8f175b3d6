"""What the page "From paper to code" names must exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
CODE = sorted(set(re.findall(r"`([^`\s]+)`", PAGE)))
TESTS = [name for name in CODE if "::" in name]
OBJECTS = [name for name in CODE if re.fullmatch(r"(askl|reproduction|benchmarks)(\.\w+)+", name)]
FILES = [name for name in CODE if "/" in name and "::" not in name]


@cache
def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def find(dotted: str) -> Any:
    """Import the longest module there is, then take attributes; a function goes before a module."""
    parts = dotted.split(".")
    try:
        found = import_module(parts[0])
        for part in parts[1:]:
            found = getattr(found, part)
    except AttributeError:
        found = getattr(import_module(".".join(parts[:-1])), parts[-1])
    return found


@pytest.mark.parametrize("name", OBJECTS)
def test_a_named_function_exists(name: str) -> None:
    assert find(name) is not None


@pytest.mark.parametrize("name", TESTS)
def test_a_named_test_exists(name: str) -> None:
    path, function = name.split("::")
    assert function in functions_of(path)


@pytest.mark.parametrize("name", FILES)
def test_a_named_file_exists(name: str) -> None:
    assert (ROOT / name).is_file()


def test_every_numbered_equation_is_on_the_page() -> None:
    section = PAGE.split("## Equations")[1].split("##")[0]
    first_cells = " ".join(line.split("|")[1] for line in section.splitlines() if "|" in line)
    numbers = {int(number) for number in re.findall(r"\((\d+)\)", first_cells)}
    assert numbers == set(range(1, 20))


def test_every_row_names_what_checks_it() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    heads = ("|---", "| in the paper |", "| step |", "| place |")
    assert not [row for row in rows if "::" not in row and not row.startswith(heads)]
