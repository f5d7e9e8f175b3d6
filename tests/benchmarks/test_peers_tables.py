"""The comparison with other learners: what the records say, in figures, tables and a page."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from benchmarks.peers import statistics, tables
from benchmarks.peers.cli import main
from benchmarks.peers.figures import draw_figures
from benchmarks.peers.page import write_page
from benchmarks.peers.records import FOLDER, read_records, write_record

ROOT = Path(__file__).parents[2]


def make_record(dataset: str, model: str, split: int, score: float, **others: Any) -> Any:
    measure = "rmse" if dataset in ("abalone", "space_ga", "cpusmall", "cadata") else "accuracy"
    machine = {
        "processor": "P", "cores": 2, "memory_gb": 8.0, "load_at_start": 0.5, "python": "3",
        "versions": {"numpy": "2"}, "commit": "abc",
    }  # fmt: skip
    return {
        "dataset": dataset,
        "model": model,
        "split": split,
        "status": "done",
        "measure": measure,
        "score": score,
        "fit_seconds": 2.0,
        "fit_cpu_seconds": 1.0,
        "time_limit": 600.0,
        "threads": 1,
        "finished": "2026-01-01T00:00:00+00:00",
        "machine": machine,
        **others,
    }


RECORDS = [
    make_record("segment", "lightgbm", 0, 98.0, fit_seconds=1.0, fit_cpu_seconds=0.5),
    make_record("segment", "lightgbm", 1, 96.0, fit_seconds=3.0),
    make_record("segment", "svm", 0, 95.0),
    make_record("segment", "askl", 0, 99.0, fit_cpu_seconds=4.0),
    make_record("segment", "askl", 1, 90.0),
    make_record("abalone", "lightgbm", 0, 8.0),
    make_record("abalone", "svm", 0, 7.0),
    {**make_record("abalone", "askl", 0, math.nan), "status": "timeout"},
    {**make_record("abalone", "rff", 0, math.nan), "status": "failed", "error": "no"},
]


# Statistics


def test_summary_by_hand() -> None:
    summary = statistics.summarize(statistics.collect(RECORDS)["segment"]["lightgbm"])
    assert summary == (2, 97.0, pytest.approx(math.sqrt(2.0)), 2.0, 0.75)


def test_ranks_by_hand() -> None:
    # Only split 0 is common on segment, where askl is best; it has no result on abalone.
    ranks = statistics.rank_models(statistics.collect(RECORDS))
    assert ranks.models == ["lightgbm", "svm", "askl"]
    np.testing.assert_array_equal(ranks.ranks, [[2, 3, 1], [2, 1, 3]])
    assert ranks.n_common == {"segment": 1, "abalone": 1}
    assert ranks.missing == {"segment": [], "abalone": ["askl"]}
    assert ranks.means == {"lightgbm": 2.0, "svm": 2.0, "askl": 2.0}


def test_models_without_a_result_share_the_last_ranks() -> None:
    records = [
        make_record("segment", name, 0, score)
        for name, score in (("lightgbm", 90.0), ("xgboost", 90.0), ("svm", 80.0), ("rff", 70.0))
    ] + [make_record("letter", name, 0, 50.0) for name in ("svm", "rff")]
    ranks = statistics.rank_models(statistics.collect(records))
    np.testing.assert_array_equal(ranks.ranks, [[1.5, 1.5, 3, 4], [3.5, 3.5, 1.5, 1.5]])


def test_a_data_set_that_most_models_have_not_seen_is_not_ranked() -> None:
    names = ("lightgbm", "xgboost", "svm", "rff", "askl")
    records = [make_record("segment", name, 0, 90.0) for name in names]
    records += [make_record("letter", name, 0, 50.0) for name in ("svm", "rff")]
    assert statistics.rank_models(statistics.collect(records)).n_common == {"segment": 1}


def test_a_data_set_without_a_common_split_is_not_ranked() -> None:
    records = [make_record("segment", "svm", 0, 1.0), make_record("segment", "rff", 1, 1.0)]
    ranks = statistics.rank_models(statistics.collect(records))
    assert ranks.ranks.shape == (0, 2)
    assert ranks.n_common == {}


@pytest.mark.parametrize(
    ("n_models", "quantile"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)]
)
def test_critical_difference_has_the_quantiles_of_demsar(n_models: int, quantile: float) -> None:
    expected = quantile * math.sqrt(n_models * (n_models + 1) / (6 * 14))
    assert statistics.critical_difference(n_models, 14) == pytest.approx(expected, abs=1e-3)


def test_friedman_is_that_of_scipy_and_of_the_formula() -> None:
    scores = np.random.default_rng(0).normal(size=(8, 4))
    ranks = scores.argsort(axis=1).argsort(axis=1) + 1.0
    statistic = 12 * 8 / (4 * 5) * (np.sum(ranks.mean(axis=0) ** 2) - 4 * 25 / 4)
    found = friedmanchisquare(*scores.T)
    assert found.statistic == pytest.approx(statistic)
    assert statistics.friedman_p_value(ranks) == pytest.approx(found.pvalue)
    assert math.isnan(statistics.friedman_p_value(ranks[:1]))


def test_bars_join_what_cannot_be_told_apart() -> None:
    assert statistics.alike([1.0, 1.5, 3.0, 3.4, 6.0], 2.0) == [(0, 2), (1, 3)]
    assert statistics.alike([1.0, 5.0], 2.0) == []


def test_pareto_front() -> None:
    points = {"a": (1.0, 5.0), "b": (2.0, 4.0), "c": (3.0, 4.5), "d": (1.0, 6.0), "e": (4.0, 1.0)}
    assert statistics.pareto_front(points, lower=True) == ["a", "b", "e"]
    assert statistics.pareto_front(points, lower=False) == ["d"]


# Tables, figures and the page


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for record in RECORDS:
        write_record(
            {**record, "score": record["score"] if record["score"] > 0 else None}, tmp_path
        )
    return tmp_path


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
    assert "A model without a result on a data set is ranked last" in text


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
    assert tables.to_short(read_records(FOLDER)) in readme


def test_tables_of_no_records() -> None:
    assert tables.to_csv([]) == "dataset,model,n_splits,mean,std,fit_seconds\n"
    assert "No ranks: " in tables.to_markdown([])
    assert "0 of 780 fits are done." in write_page([])


def test_figures(results: Path) -> None:
    paths = draw_figures(read_records(results), results)
    assert [path.name for path in paths] == ["ranks.png", "times.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_the_page_counts_what_is_missing(results: Path, tmp_path: Path) -> None:
    main(["page", "--results", str(results), "--output", str(tmp_path / "accuracy.md")])
    page = (tmp_path / "accuracy.md").read_text(encoding="utf-8")
    assert "7 of 780 fits are done" in page
    assert "Late are those that ran out of 600 seconds; who is late on the first split" in page
    row = next(line for line in page.splitlines() if line.startswith("| abalone | 0 |"))
    assert "| 0, 1 late |" in row
    assert "| 0, 1 failed |" in row
    assert "Commits of askl: `abc`." in page


def test_records_are_json_without_nan(results: Path) -> None:
    for path in results.rglob("*.json"):
        json.loads(path.read_text(), parse_constant=pytest.fail)
