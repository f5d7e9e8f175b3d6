"""Records of the reproduction: one table for each protocol and data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reproduction.folders import Folders
from reproduction.protocol import Trial
from reproduction.records import is_current, read_records, read_records_of, write_record

TRIAL = Trial("smoke", "digits", "askl", 3)


def make_record(figure: float, trial: Trial = TRIAL) -> dict[str, Any]:
    return {
        "trial": trial._asdict(),
        "status": "done",
        "parameters": {"head_penalty": 1e-10},
        "metrics": {"test": {"accuracy_percent": figure}},
        "provenance": {"versions": {"torch": "2"}, "machine": {"cores": 2}},
    }


def test_records_of_trials_are_found_before_and_after_they_are_compacted(tmp_path: Path) -> None:
    folders, other = Folders(tmp_path), TRIAL._replace(dataset="diabetes")
    for trial in (TRIAL, other, TRIAL._replace(split=10)):
        write_record(make_record(1.0, trial), folders)
    for _ in range(2):
        wanted = [TRIAL, other, TRIAL._replace(split=4)]
        assert read_records_of(wanted, folders) == {
            TRIAL: make_record(1.0),
            other: make_record(1.0, other),
        }
        folders.store("smoke", "digits").compact()


def test_records_come_in_a_fixed_order(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    for split in (10, 2):
        for method in ("sk", "askl"):
            write_record(make_record(1.0, TRIAL._replace(method=method, split=split)), folders)
    write_record(make_record(1.0, TRIAL._replace(dataset="diabetes")), folders)
    folders.store("smoke", "digits").compact()
    trials = [Trial(**record["trial"]) for record in read_records("smoke", folders)]
    assert [trial[1:] for trial in trials] == [
        ("diabetes", "askl", 3),
        ("digits", "askl", 2),
        ("digits", "askl", 10),
        ("digits", "sk", 2),
        ("digits", "sk", 10),
    ]
    assert list(read_records("paper", folders)) == []


def test_a_record_of_other_settings_is_not_current() -> None:
    record = make_record(1.0)
    assert is_current(record, {"head_penalty": 1e-10})
    assert not is_current(record, {"head_penalty": 1e-9})
    assert not is_current(record, None)
    assert not is_current(None, {})
