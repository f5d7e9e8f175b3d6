"""How far the study has come: what is tuned, done, failed, outdated and missing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from reproduction.datasets import find_row
from reproduction.hyperparameters import read_tuned
from reproduction.protocol import METHODS, Trial, find_protocol
from reproduction.records import is_current, read_record


class Status(NamedTuple):
    """The state of one data set's trials under one protocol."""

    dataset: str
    n_tuned: int
    done: int
    failed: int
    outdated: int
    missing: int
    hours: float
    commits: tuple[str, ...]


def dataset_status(protocol: str, dataset: str, results: Path) -> Status:
    """Count a data set's trials by state; outdated ones were made with other settings."""
    tuned = read_tuned(protocol, dataset, results)
    settings, row = find_protocol(protocol).settings, find_row(dataset)
    counts: Counter[str] = Counter()
    seconds, commits = 0.0, set()
    for method in METHODS:
        wanted = settings(row, tuned[method]["parameters"]) if method in tuned else None
        for number in range(find_protocol(protocol).n_splits):
            record = read_record(Trial(protocol, dataset, method, number), results)
            if record is None:
                counts["missing"] += 1
                continue
            current = wanted is not None and is_current(record, wanted)
            counts[record["status"] if current else "outdated"] += 1
            seconds += record["provenance"]["seconds"]
            commits.add(record["provenance"]["commit"])
    return Status(
        dataset,
        len(tuned),
        done=counts["done"],
        failed=counts["failed"],
        outdated=counts["outdated"],
        missing=counts["missing"],
        hours=seconds / 3600.0,
        commits=tuple(sorted(commits)),
    )
