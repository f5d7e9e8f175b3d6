"""Records: one file for each trial while a study runs, one sorted table when it is committed."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from studies.store import Store

MACHINE = {"cores": 2, "versions": {"torch": "2.3", "numpy": "1.24"}}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(
        tmp_path / "table.jsonl", tmp_path / "trials", ("trial.data", "split"), ("machine",)
    )


def make_record(split: int, score: float = 0.5, data: str = "iris", **others: Any) -> Any:
    record = {"trial": {"data": data}, "split": split, "score": score, "machine": MACHINE}
    return {**record, **others}


def test_a_record_is_read_as_it_was_written_before_and_after_it_is_compacted(store: Store) -> None:
    record = make_record(3, 100.0 / 3.0)
    path = store.write(record)
    assert json.loads(path.read_text()) == record
    assert store.read() == {("iris", 3): record}
    assert store.compact() == 1
    assert not path.exists()
    assert store.read() == {("iris", 3): record}
    # Pages list versions in the order in which they were recorded.
    assert list(store.read()["iris", 3]["machine"]["versions"]) == ["torch", "numpy"]


def test_a_second_compaction_changes_no_byte(store: Store) -> None:
    for split in (10, 9):
        store.write(make_record(split))
    assert store.compact() == 2
    before = store.table.read_bytes()
    assert store.compact() == 0
    assert store.table.read_bytes() == before


def test_the_table_does_not_depend_on_the_order_of_the_trials(store: Store, tmp_path: Path) -> None:
    records = [make_record(split, data=data) for data in ("wine", "iris") for split in (10, 9)]
    for record in records:
        store.write(record)
    store.compact()
    other = store._replace(table=tmp_path / "other.jsonl")
    for record in reversed(records):
        other.write(record)
        other.compact()
    assert other.table.read_bytes() == store.table.read_bytes()
    assert list(store.read()) == [("iris", 9), ("iris", 10), ("wine", 9), ("wine", 10)]


def test_what_records_share_is_in_the_table_once(store: Store) -> None:
    for split in range(3):
        store.write(make_record(split))
    store.write(make_record(3, machine={"cores": 4}))
    failed = make_record(4)
    del failed["machine"]
    store.write(failed)
    store.compact()
    lines = [json.loads(line) for line in store.table.read_text().splitlines()]
    assert len(lines) == 2 + 5
    assert [line["value"] for line in lines if "shared" in line].count(MACHINE) == 1
    assert store.read()["iris", 3]["machine"] == {"cores": 4}
    assert store.read()["iris", 4] == failed


def test_a_new_trial_goes_before_the_line_of_the_table_and_replaces_it(store: Store) -> None:
    store.write(make_record(0, 1.0))
    store.write(make_record(1, 1.0))
    store.compact()
    store.write(make_record(1, 2.0))
    assert [record["score"] for record in store.read().values()] == [1.0, 2.0]
    store.compact()
    assert [record["score"] for record in store.read().values()] == [1.0, 2.0]
    assert len(store.read()) == 2


def test_a_change_of_one_record_is_a_change_of_one_line(store: Store) -> None:
    for split in range(5):
        store.write(make_record(split))
    store.compact()
    before = store.table.read_text().splitlines()
    store.write(make_record(2, 0.75))
    store.compact()
    after = store.table.read_text().splitlines()
    assert [old == new for old, new in zip(before, after, strict=True)].count(False) == 1


def test_whoever_changes_a_record_changes_no_other(store: Store) -> None:
    for split in range(2):
        store.write(make_record(split))
    store.compact()
    records = store.read()
    records["iris", 0]["machine"]["cores"] = 99
    assert records["iris", 1]["machine"] == MACHINE


def test_a_trial_that_is_written_while_the_table_is_made_is_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store.write(make_record(0, 1.0))
    replace = os.replace

    def replace_and_write(source: Any, target: Any) -> None:
        replace(source, target)
        if target == store.table:
            store.write(make_record(0, 2.0))

    monkeypatch.setattr(os, "replace", replace_and_write)
    store.compact()
    assert path.exists()
    assert store.read()["iris", 0]["score"] == 2.0


def test_a_write_that_fails_leaves_the_old_record(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(make_record(0, 1.0))
    with pytest.raises(ValueError, match="JSON"):
        store.write(make_record(0, math.nan))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        store.write(make_record(0, 2.0))
    assert store.read()["iris", 0]["score"] == 1.0
    assert len(list(store.trials.iterdir())) == 1


def test_a_compaction_that_fails_loses_no_trial(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(make_record(0))
    store.compact()
    store.write(make_record(1))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        store.compact()
    assert list(store.read()) == [("iris", 0), ("iris", 1)]


def test_keys_with_signs_of_their_own_have_files_of_their_own(store: Store) -> None:
    names = ["a,0", "a", "a/b", "../a", ".a", "neighbours' targets", "φ"]
    for name in names:
        store.write(make_record(0, data=name))
    assert len(store.read()) == len(names) == len(list(store.trials.iterdir()))


def test_there_may_be_nothing_yet(store: Store) -> None:
    assert store.read() == {}
    assert store.compact() == 0
    assert not store.table.exists()
