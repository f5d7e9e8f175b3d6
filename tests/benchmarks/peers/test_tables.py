"""Tables: what the records contain, as CSV and Markdown."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from benchmarks.peers import tables
from benchmarks.peers.cli import main
from benchmarks.peers.page import write_page
from benchmarks.peers.records import read_records
from tests.benchmarks.peers.sample import RECORDS, committed, make_record

ROOT = Path(__file__).parents[3]


def test_csv(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["table", "--format", "csv", "--results", str(results)])
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "dataset,model,n_splits,mean,std,fit_seconds"
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["dataset"], row["model"]) for row in rows] == [
        ("segment", "askl"),
        ("segment", "lightgbm"),
        ("segment", "svm"),
        ("abalone", "lightgbm"),
        ("abalone", "svm"),
    ]
    assert rows[1] == {
        "dataset": "segment",
        "model": "lightgbm",
        "n_splits": "2",
        "mean": "97.0000",
        "std": "1.4142",
        "fit_seconds": "2.0000",
    }


def test_markdown_marks_the_best_and_says_what_is_missing(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["table", "--results", str(results)])
    text = capsys.readouterr().out
    assert "| segment | 94.50 ± 6.36 | **97.00 ± 1.41** | 95.00 (1) |" in text
    assert "| abalone | - | 8.00 (1) | **7.00** (1) |" in text
    assert "| askl | 2.00 | 1 |" in text
    assert "Models without a result on a data set share the last rank" in text


def test_the_short_table_marks_the_best_of_all_models(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["table", "--format", "short", "--results", str(results)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| data | askl-auto | askl | lightgbm |")
    assert lines[2] == "| segment | - | 94.50 | **97.00** | - | - | - | - | - |"
    assert lines[3] == "| abalone | - | - | 8.00 | - | - | - | - | - |"  # svm's 7.00 is not shown
    assert lines[4] == "| mean rank of 3 | - | 2.00 | 2.00 | - | - | - | - | - |"


def test_a_mean_over_fewer_splits_is_marked_and_does_not_win() -> None:
    records = [*RECORDS, make_record("segment", "realmlp", 0, 100.0)]
    line = tables.to_short(records).splitlines()[2]
    assert line == "| segment | - | 94.50 | **97.00** | - | - | - | - | 100.00 (1) |"
    assert "| 100.00 (1) |" in tables.score_table(records)
    assert "`realmlp`" not in tables.winner_lines(records)


def test_a_mean_over_more_splits_does_not_win_by_them() -> None:
    more = [make_record("segment", "rff", split, 90.0) for split in range(5)]
    assert tables.winner_lines(RECORDS + more).splitlines()[0] == "- `lightgbm`, 1: segment"


def test_a_data_set_of_one_model_compares_nothing() -> None:
    records = [*RECORDS, make_record("mnist", "askl", 0, 98.0)]
    assert "mnist" not in tables.to_csv(records)
    assert tables.rank_table(records) == tables.rank_table(RECORDS)


def test_winners() -> None:
    records = [*RECORDS, make_record("abalone", "askl-auto", 0, 7.001)]
    assert tables.winner_lines(records).splitlines() == [
        "- `lightgbm`, 1: segment",
        "- `askl-auto`, 1: abalone",  # level as shown
        "- `svm`, 1: abalone",
    ]


def test_costs() -> None:
    records = [
        make_record("abalone", "askl-auto", 0, 7.0, fit_seconds=12.0),
        make_record("abalone", "catboost", 0, 9.0, fit_seconds=3.0),
        make_record("abalone", "realmlp", 0, 9.0, fit_seconds=16.0),
        make_record("shuttle", "askl-auto", 0, 99.9, fit_seconds=150.0),
        make_record("shuttle", "catboost", 0, 99.9, fit_seconds=30.0),
        {**make_record("shuttle", "realmlp", 0, 0.0), "status": "timeout"},
        make_record("segment", "askl-auto", 0, 99.0),  # nothing to compare with
    ]
    lines = [
        "| abalone | 12.0 | 3.0 | 16.0 | 75 % |",
        "| shuttle | 150.0 | 30.0 | > 600.0 | 25 % |",
    ]
    assert tables.cost_table(records).splitlines()[2:] == lines
    page = write_page(RECORDS, records)
    assert "the two slowest peers" in page
    assert all(line in page for line in lines)


def test_the_readme_has_the_short_table_of_the_records() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert tables.to_short(read_records(committed("peers"))) in readme


def test_tables_of_no_records() -> None:
    assert tables.to_csv([]) == "dataset,model,n_splits,mean,std,fit_seconds\n"
    assert "No ranks: " in tables.to_markdown([])
    assert "0 of 780 fits are done." in write_page([])
