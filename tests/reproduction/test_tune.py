"""Searches keep to their budget and their rows, and go on after a break as if there were none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reproduction.datasets import load
from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned
from reproduction.protocol import METHODS, find_protocol
from reproduction.splits import split
from reproduction.tune import Cell, Search, tune_all, tune_cell
from reproduction.workers import Workers

CELL = Cell("smoke", "diabetes", "askl")


def without_provenance(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != "provenance"}


def test_all_methods_spend_the_same_budget(tuned: Folders) -> None:
    for name in ("digits", "diabetes"):
        tables = read_tuned("smoke", name, tuned)
        assert tables.keys() == set(METHODS)
        for method, table in tables.items():
            space = find_protocol("smoke").searched(method)
            assert table["parameters"].keys() == space.keys()
            assert table["score"]["n_settings"] == 4
            assert 1 <= table["score"]["n_completed"] <= 4
            assert table["provenance"]["seconds"] > 0.0


def test_only_training_rows_of_split_zero_are_seen() -> None:
    search = Search(Cell("smoke", "digits", "sk"), load("digits"))
    assert len(search.rows) == 400
    assert not set(search.rows) & set(split(1797, 0).test)
    seen = {row for fold in search.folds for part in fold for row in part}
    assert seen == set(search.rows)


def test_a_search_that_is_interrupted_continues_to_the_same_result(
    tuned: Folders, tmp_path: Path
) -> None:
    calls = []

    class Interrupted(Search):
        def score(self, *arguments: Any) -> float:
            calls.append(arguments)
            if len(calls) in (1, 4):
                raise KeyboardInterrupt
            return super().score(*arguments)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            tune_cell(CELL, Folders(tmp_path), None, Interrupted)
    _, table = tune_cell(CELL, Folders(tmp_path), None)
    undisturbed = read_tuned("smoke", "diabetes", tuned)["askl"]
    assert without_provenance(table) == without_provenance(undisturbed)


def test_a_setting_that_raises_counts_and_the_search_continues(tmp_path: Path) -> None:
    calls = []

    class RaisesOnce(Search):
        def score(self, *arguments: Any) -> float:
            calls.append(arguments)
            if len(calls) == 1:
                raise FloatingPointError("no good")
            return super().score(*arguments)

    _, table = tune_cell(CELL, Folders(tmp_path), None, RaisesOnce)
    assert table["score"]["n_settings"] == 4
    assert table["score"]["n_completed"] <= 3


def test_what_is_tuned_is_not_tuned_again(tuned: Folders) -> None:
    assert tune_all([CELL], tuned, None, Workers()) == 0
