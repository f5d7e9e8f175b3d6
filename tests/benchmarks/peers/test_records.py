"""Records: their order, and which jobs they settle."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.peers.records import STUDIES, is_settled, open_store, read_records
from studies.store import Store
from tests.benchmarks.peers.sample import committed, make_record


@pytest.mark.parametrize(
    ("status", "limit", "retry", "settled"),
    [
        ("done", 900.0, True, True),
        ("timeout", 600.0, False, True),
        ("timeout", 600.1, False, False),
        ("timeout", 10.0, True, False),
        ("failed", 900.0, False, True),
        ("failed", 600.0, True, False),
    ],
)
def test_what_is_settled(status: str, limit: float, retry: bool, settled: bool) -> None:
    record = {"status": status, "time_limit": 600.0}
    assert is_settled(record, limit, retry=retry) is settled
    assert not is_settled(None, limit, retry=retry)


def test_records_come_in_the_order_of_data_sets_and_models(store: Store) -> None:
    names = [("abalone", "askl", 0), ("segment", "xrfm", 1), ("segment", "askl", 10)]
    names += [("segment", "askl", 2), ("unknown", "askl", 0), ("segment", "unknown", 0)]
    for name in names:
        store.write(make_record(*name, 1.0))
    found = [
        (record["dataset"], record["model"], record["split"]) for record in read_records(store)
    ]
    assert found == [names[3], names[2], names[1], names[0]]


@pytest.mark.parametrize("study", STUDIES)
def test_committed_records_are_compacted(study: str, tmp_path: Path) -> None:
    """The table that is committed is the one that its own records give."""
    store, copy = committed(study), open_store(study, tmp_path)
    for record in store.read().values():
        copy.write(record)
    copy.compact()
    assert copy.table.read_bytes() == store.table.read_bytes()
