"""Tables contain what the records do, checked against scipy and published constants."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reproduction.folders import Folders
from reproduction.protocol import METHODS
from reproduction.records import read_records
from reproduction.tables import FORMATS, make_entries, published_mean, to_csv, to_markdown
from tests.reproduction.sample import make_records


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
