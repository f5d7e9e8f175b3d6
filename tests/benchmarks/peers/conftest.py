"""Data sets that come with scikit-learn, and records with figures chosen by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from benchmarks.peers.records import open_store
from studies.store import Store
from tests.benchmarks.peers.sample import RECORDS


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with the names of two of the twelve sets."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, (X, y) in {
        "segment": load_wine(return_X_y=True),
        "abalone": load_diabetes(return_X_y=True),
    }.items():
        np.savez(folder / f"{name}.npz", X=X.astype(np.float32), y=y)
    monkeypatch.setenv("ASKL_DATA", str(folder))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(results=tmp_path)


@pytest.fixture
def results(tmp_path: Path, store: Store) -> Path:
    """A folder with the records chosen by hand."""

    def writable(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "score": None if math.isnan(record["score"]) else record["score"]}

    for record in RECORDS:
        store.write(writable(record))
    return tmp_path
