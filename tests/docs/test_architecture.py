"""The page about the architecture describes the source as it is."""

from __future__ import annotations

import re
from pathlib import Path

from askl import SpectralKernelClassifier
from tests.estimators.test_trace import frames_to_gradient
from tests.import_graph import SOURCE, describe

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FIGURE = ROOT / "docs" / "figures" / "import_graph.svg"
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def test_the_figure_shows_all_packages_and_their_sizes() -> None:
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", FIGURE.read_text(encoding="utf-8"))
    command = f"python -m tests.import_graph {FIGURE.relative_to(ROOT)}"
    assert sorted(shown) == [describe(name) for name in PACKAGES], f"run {command}"


def test_the_table_has_all_packages() -> None:
    table = PAGE.split("| package | subject |")[1].split("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == PACKAGES


def test_the_trace_of_a_fit_is_that_of_a_fit(classes) -> None:
    model = SpectralKernelClassifier(n_components=10, max_epochs=1, random_state=0)
    frames = frames_to_gradient(lambda: model.fit(*classes))
    assert "\n".join(f"{place} {name}" for place, name in frames) in PAGE


def test_the_files_where_lines_live_exist() -> None:
    table = PAGE.split("## Where a line lives")[1].split("##")[0]
    named = re.findall(r"`([a-z_]+/[a-z_./]*)`", table)
    assert len(named) > 5
    assert [name for name in named if not (SOURCE / name).exists()] == []
