"""Figures: ranks, and scores against time."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.figures import draw_figures
from benchmarks.peers.records import read_records
from studies.store import Store


def test_figures(results: Path, store: Store) -> None:
    paths = draw_figures(read_records(store), results)
    assert [path.name for path in paths] == ["ranks.png", "times.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
