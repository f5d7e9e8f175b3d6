"""What programs share: tables, figures in them, and where results are."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.report import (
    BUILD,
    RESULTS,
    argument_parser,
    figure,
    markdown_table,
    output_folder,
    study_store,
    verdict,
)


@pytest.mark.parametrize(
    ("value", "text"), [(1.005, "1.00"), (None, "-"), (math.nan, "-"), (-2.0, "-2.00")]
)
def test_a_figure_that_is_not_there_is_a_dash(value: float | None, text: str) -> None:
    assert figure(value) == text


def test_a_verdict_needs_a_limit() -> None:
    assert verdict(None, "< 3") == ""
    assert verdict(True, "< 3").startswith("< 3")
    assert "pass" in verdict(True)
    assert "fail" in verdict(False)


def test_a_table_aligns_names_to_the_left_and_figures_to_the_right() -> None:
    text = markdown_table(["data", "a", "b"], [["iris", "1", "2"]])
    assert text.splitlines() == ["| data | a | b |", "| --- | ---: | ---: |", "| iris | 1 | 2 |"]


def test_a_quick_run_does_not_touch_the_results(tmp_path: Path) -> None:
    parser = argument_parser("")
    assert output_folder(parser.parse_args([])) == RESULTS
    assert output_folder(parser.parse_args(["--quick"])) != RESULTS
    assert output_folder(parser.parse_args(["--output", str(tmp_path / "new")])).is_dir()


def test_only_trials_of_the_committed_tables_are_in_build(tmp_path: Path) -> None:
    store = study_store("peers", ("data",))
    assert (store.table, store.trials) == (RESULTS / "peers.jsonl", BUILD / "peers")
    store = study_store("peers", ("data",), tmp_path)
    assert (store.table, store.trials) == (tmp_path / "peers.jsonl", tmp_path / "peers")
