"""The page: written from the records, with a list of what they lack."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.cli import main
from benchmarks.peers.page import PAGE, write_page
from benchmarks.peers.records import STUDIES, read_records
from tests.benchmarks.peers.sample import committed


def test_the_page_counts_what_is_missing(results: Path, tmp_path: Path) -> None:
    main(["page", "--results", str(results), "--output", str(tmp_path / "accuracy.md")])
    page = (tmp_path / "accuracy.md").read_text(encoding="utf-8")
    assert "7 of 780 fits are done" in page
    assert '"Late" means more than 600 seconds' in page
    row = next(line for line in page.splitlines() if line.startswith("| abalone | 0 |"))
    assert "| 0, 1 late |" in row
    assert "| 0, 1 failed |" in row
    assert "Commits of askl: `abc`." in page


def test_the_page_is_that_of_the_committed_records() -> None:
    text = write_page(*(read_records(committed(study)) for study in STUDIES))
    assert PAGE.read_text(encoding="utf-8") == text
