"""Where a study is: committed tables, and what a run leaves."""

from __future__ import annotations

from pathlib import Path

from reproduction.folders import Folders


def test_only_the_study_of_the_checkout_is_split_in_two_folders(tmp_path: Path) -> None:
    assert Folders(tmp_path).build == tmp_path
    assert Folders().build == Folders().results.parent / "build" / "reproduction"
    assert Folders(Path("reproduction")).build == Folders().build


def test_data_sets_with_a_table_or_with_trials_are_found(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    assert folders.recorded_datasets("paper") == []
    for dataset in ("letter", "abalone"):
        folders.store("paper", dataset).trials.mkdir(parents=True)
    for dataset in ("letter", "usps"):
        table = folders.store("paper", dataset).table
        table.parent.mkdir(parents=True, exist_ok=True)
        table.touch()
    assert folders.recorded_datasets("paper") == ["abalone", "letter", "usps"]
    assert folders.recorded_datasets("corrected") == []
