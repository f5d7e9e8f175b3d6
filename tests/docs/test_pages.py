"""The pages: examples that run, pictures with descriptions, links that lead somewhere."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from askl.learning import HEAD_NORMS, LOSSES, METHODS
from askl.spectral import ACTIVATIONS, DENSITIES
from benchmarks.peers.models import PEERS
from reproduction.datasets import rows

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")])
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name(path: Path) -> str:
    return path.relative_to(DOCS).with_suffix("").as_posix()


@pytest.fixture
def tables() -> Iterator[None]:
    """Remove the rows that a page adds."""
    known = [LOSSES, HEAD_NORMS, METHODS, DENSITIES, ACTIVATIONS, PEERS, rows()]
    before = [dict(table) for table in known]
    yield
    for table, old in zip(known, before, strict=True):
        table.clear()
        table.update(old)


WITH_EXAMPLES = [path for path in PAGES if ">>>" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=name)
@pytest.mark.usefixtures("tables")
def test_the_examples_of_a_page_run(path: Path) -> None:
    result = doctest.testfile(str(path), module_relative=False, optionflags=OPTIONS)
    assert result.attempted > 0
    assert result.failed == 0


def test_an_extension_takes_fewer_than_thirty_lines() -> None:
    text = (DOCS / "extending.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 8
    assert all(len(example.splitlines()) < 30 for example in examples)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_small_and_describes_its_picture(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = [call.func.attr for call in calls if isinstance(call.func, ast.Attribute)]
    assert "suptitle" in named, "the title is the alternative text of the picture"
    sizes = [int(size) for size in re.findall(r'n_components"?[=:] ?(\d+)', source)]
    assert sizes
    assert max(sizes) <= 300
    assert len(source.splitlines()) <= 90


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pictures_are_described_and_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"!\[\s*\]\(", text), "every picture needs a text"
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        found = re.fullmatch(r"(?:\.\./)*gallery/(plot_\w+|index)\.rst", target)
        place = ROOT / "examples" / f"{found[1]}.py" if found else path.parent / target
        assert place.exists() or (found and found[1] == "index"), target
