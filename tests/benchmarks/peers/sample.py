"""Records with figures chosen by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.peers.records import open_store
from studies.store import Store

MACHINE = {
    "processor": "P",
    "cores": 2,
    "memory_gb": 8.0,
    "python": "3",
    "versions": {"numpy": "2"},
}
# A folder that is not there: records that a run has added do not count.
NOWHERE = Path("nowhere")
ERRORS = ("abalone", "space_ga", "cpusmall", "cadata")


def make_record(dataset: str, model: str, split: int, score: float, **others: Any) -> Any:
    return {
        "dataset": dataset,
        "model": model,
        "split": split,
        "status": "done",
        "measure": "rmse" if dataset in ERRORS else "accuracy",
        "score": score,
        "fit_seconds": 2.0,
        "fit_cpu_seconds": 1.0,
        "time_limit": 600.0,
        "threads": 1,
        "finished": "2026-01-01T00:00:00+00:00",
        "load_at_start": 0.5,
        "commit": "abc",
        "machine": MACHINE,
        **others,
    }


def committed(study: str) -> Store:
    """The committed table of a study, without what a run of this checkout has added."""
    return open_store(study)._replace(trials=NOWHERE)


RECORDS = [
    make_record("segment", "lightgbm", 0, 98.0, fit_seconds=1.0, fit_cpu_seconds=0.5),
    make_record("segment", "lightgbm", 1, 96.0, fit_seconds=3.0),
    make_record("segment", "svm", 0, 95.0),
    make_record("segment", "askl", 0, 99.0, fit_cpu_seconds=4.0),
    make_record("segment", "askl", 1, 90.0),
    make_record("abalone", "lightgbm", 0, 8.0),
    make_record("abalone", "svm", 0, 7.0),
    make_record("abalone", "askl", 0, math.nan, status="timeout"),
    make_record("abalone", "rff", 0, math.nan, status="failed", error="no"),
]
