"""Tables and figures say what the records say, checked against scipy and published constants."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reproduction.figures import groups_alike, make_figures
from reproduction.folders import Folders
from reproduction.protocol import METHODS
from reproduction.records import read_records
from reproduction.statistics import Ranks, collect, not_worse, paired_p_value, rank_methods
from reproduction.tables import FORMATS, make_entries, published_mean, to_csv, to_markdown


def make_records(dataset: str, unit: str, figures: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [
        {
            "trial": {"protocol": "corrected", "dataset": dataset, "method": method, "split": i},
            "status": "done",
            "metrics": {"test": {unit: figure}},
        }
        for method, values in figures.items()
        for i, figure in enumerate(values)
    ]


@pytest.fixture
def figures() -> dict[str, list[float]]:
    """Thirty splits that share their difficulty, so that pairing matters."""
    generator = np.random.default_rng(0)
    difficulty = generator.normal(0.0, 2.0, 30)
    shifts = {"sk": -5.0, "nsk": -0.4, "skl": -0.02, "nskl": -0.15, "askl": 0.0}
    return {
        method: (95.0 + shift + difficulty + generator.normal(0.0, 0.3, 30)).tolist()
        for method, shift in shifts.items()
    }


def test_csv_has_its_header_and_a_line_for_each_cell(figures: dict[str, list[float]]) -> None:
    lines = to_csv(make_records("letter", "accuracy_percent", figures)).splitlines()
    assert lines[0] == "dataset,method,n_splits,mean,std,published,unit"
    assert [line.split(",")[1] for line in lines[1:]] == list(METHODS)
    name, method, n_splits, mean, std, published, unit = lines[-1].split(",")
    assert (name, method, n_splits) == ("letter", "askl", "30")
    assert float(mean) == pytest.approx(np.mean(figures["askl"]), abs=1e-4)
    assert float(std) == pytest.approx(np.std(figures["askl"], ddof=1), abs=1e-4)
    assert (published, unit) == ("95.70", "accuracy_percent")


def test_underlines_are_those_of_a_paired_t_test(figures: dict[str, list[float]]) -> None:
    entries = make_entries(make_records("letter", "accuracy_percent", figures))
    best = next(entry.method for entry in entries if entry.is_best)
    assert best == max(figures, key=lambda method: np.mean(figures[method]))
    expected = {
        method
        for method in figures
        if method != best and ttest_rel(figures[best], figures[method]).pvalue >= 0.05
    }
    underlined = {entry.method for entry in entries if entry.is_not_worse}
    assert underlined == expected
    assert 0 < len(expected) < 4
    text = to_markdown(make_records("letter", "accuracy_percent", figures))
    assert text.count("<u>") == len(expected)
    assert text.count("**") == 2


def test_only_common_splits_are_paired(figures: dict[str, list[float]]) -> None:
    first = dict(enumerate(figures["askl"]))
    second = dict(enumerate(figures["sk"][:10]))
    expected = ttest_rel(figures["askl"][:10], figures["sk"][:10]).pvalue
    assert paired_p_value(first, second) == pytest.approx(expected)
    assert np.isnan(paired_p_value(first, {0: 1.0}))
    assert paired_p_value(first, first) == 1.0
    assert paired_p_value(first, {i: figure + 1.0 for i, figure in first.items()}) == 0.0
    assert not_worse({"askl": first, "sk": {0: 1.0}}, "askl") == set()


def test_the_smallest_error_is_best(figures: dict[str, list[float]]) -> None:
    entries = make_entries(make_records("abalone", "rmse_0_to_100", figures))
    assert [entry.method for entry in entries if entry.is_best] == ["sk"]


def test_cadata_is_published_in_thousands_of_dollars() -> None:
    assert published_mean("cadata", "askl", "rmse_thousand_dollars") == 46.34
    converted = published_mean("cadata", "askl", "rmse_0_to_100")
    assert converted == pytest.approx(9.55, abs=0.01)
    assert published_mean("digits", "askl", "accuracy_percent") is None


def test_failed_trials_are_counted_and_left_out(figures: dict[str, list[float]]) -> None:
    records = make_records("letter", "accuracy_percent", figures)
    records[0] = {"trial": records[0]["trial"], "status": "failed", "error": "ValueError"}
    entries = {entry.method: entry for entry in make_entries(records)}
    assert (entries["sk"].n_splits, entries["askl"].n_splits) == (29, 30)
    text = to_markdown(records)
    assert "Failed trials, left out above: 1." in text
    assert "| 29–30 |" in text


def test_ranks_and_their_critical_difference() -> None:
    better = {method: [90.0 + i, 91.0 + i] for i, method in enumerate(METHODS)}
    records = make_records("letter", "accuracy_percent", better)
    records += make_records("abalone", "rmse_0_to_100", better)
    ranks = rank_methods(collect(records))
    assert ranks.means == dict.fromkeys(METHODS, 3.0)
    # 2.728 is the value of q for five methods in Demsar (2006), Table 5.
    assert ranks.critical_difference == pytest.approx(2.728 * np.sqrt(5 / 2), abs=1e-2)
    assert rank_methods({}).n_datasets == 0


def test_stretches_within_the_critical_difference() -> None:
    ranks = Ranks(dict(zip(METHODS, (5.0, 4.0, 2.5, 2.0, 1.0), strict=True)), 1.6, 12)
    assert groups_alike(ranks) == [(1.0, 2.5), (2.5, 4.0), (4.0, 5.0)]
    assert groups_alike(ranks._replace(critical_difference=0.1)) == []


@pytest.mark.parametrize("protocol", ["corrected", "paper"])
def test_the_committed_tables_are_those_of_the_committed_records(
    protocol: str, tmp_path: Path
) -> None:
    folders = Folders(tmp_path)
    shutil.copytree(Folders().results / "records", tmp_path / "records")
    committed = Folders().results / "tables" / f"{protocol}.md"
    assert to_markdown(list(read_records(protocol, folders))) == committed.read_text("utf-8")
    # They are as `compact` writes them.
    before = {path: path.read_bytes() for path in (tmp_path / "records").rglob("*.jsonl")}
    for dataset in folders.recorded_datasets(protocol):
        assert folders.store(protocol, dataset).compact() == 0
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("style", FORMATS)
def test_tables_are_pure_functions_of_the_records(style: str, study: Folders) -> None:
    first, second = (FORMATS[style](list(read_records("smoke", study))) for _ in range(2))
    assert first == second
    assert "digits" in first
    assert "diabetes" in first


def test_figures_are_pure_functions_of_the_records(study: Folders, tmp_path: Path) -> None:
    records = list(read_records("smoke", study))
    first = make_figures(records, tmp_path / "a", "svg")
    second = make_figures(records, tmp_path / "b", "svg")
    assert [path.name for path in first] == ["digits-test.svg", "digits-objective.svg", "ranks.svg"]
    for left, right in zip(first, second, strict=True):
        assert left.read_bytes() == right.read_bytes()
