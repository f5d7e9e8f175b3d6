"""The files that CONTRIBUTING names are enough to add something: tried in a copy of the tree."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.additions import ADDITIONS, START

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COPIED = ("src", "benchmarks", "studies")


def named_files() -> dict[str, list[str]]:
    """Return for each thing to add the patterns of the files that the page names."""
    table = PAGE.split("| to add |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {row[0]: re.findall(r"`([^`]+)`", row[2]) for row in rows}


def copy_tree(root: Path) -> None:
    for folder in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)


def changed_files(root: Path) -> set[str]:
    files = [path for folder in COPIED for path in (root / folder).rglob("*.py")]
    names = [path.relative_to(root).as_posix() for path in files]
    return {
        name
        for name in names
        if not (ROOT / name).exists() or not filecmp.cmp(ROOT / name, root / name, shallow=False)
    }


def matches(pattern: str, name: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace("<name>", r"\w+"), name) is not None


def test_the_page_names_all_that_can_be_added():
    assert named_files().keys() == ADDITIONS.keys()


@pytest.mark.parametrize("thing", ADDITIONS)
def test_an_addition_changes_the_named_files(thing, tmp_path):
    copy_tree(tmp_path)
    ADDITIONS[thing].apply(tmp_path)
    changed, patterns = changed_files(tmp_path), named_files()[thing]
    assert len(changed) == len(patterns)
    assert all(any(matches(pattern, name) for pattern in patterns) for name in changed)


def test_the_additions_work(tmp_path):
    root, folder = tmp_path / "tree", tmp_path / "empty"
    folder.mkdir()
    copy_tree(root)
    for addition in ADDITIONS.values():
        addition.apply(root)
    paths = os.pathsep.join([str(root / "src"), str(root)])
    environment = {**os.environ, "PYTHONPATH": paths, "ASKL_DATA": str(folder)}
    # One process for all of them: most of its time are imports.
    programs = {thing: addition.program for thing, addition in ADDITIONS.items()}
    run_all = f"for item in {programs}.items(): exec(compile(item[1], item[0], 'exec'))"
    result = subprocess.run(
        [sys.executable, "-c", START + run_all],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
