"""How much of a study is done: what is tuned, done, failed, outdated and missing."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from reproduction.datasets import find_row
from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned
from reproduction.protocol import METHODS, find_protocol, plan
from reproduction.records import is_current, read_records_of


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


def dataset_status(protocol: str, dataset: str, folders: Folders) -> Status:
    """Count a data set's trials by state; outdated ones were made with other settings."""
    found, row = find_protocol(protocol), find_row(dataset)
    tuned = read_tuned(protocol, dataset, folders)
    wanted = {method: found.settings(row, each["parameters"]) for method, each in tuned.items()}
    trials = plan(protocol, [dataset], METHODS, range(found.n_splits))
    records = read_records_of(trials, folders)
    counts = Counter(
        record["status"] if is_current(record, wanted.get(trial.method)) else "outdated"
        for trial, record in records.items()
    )
    provenances = [record["provenance"] for record in records.values()]
    return Status(
        dataset,
        len(tuned),
        done=counts["done"],
        failed=counts["failed"],
        outdated=counts["outdated"],
        missing=len(trials) - len(records),
        hours=sum(each["seconds"] for each in provenances) / 3600.0,
        commits=tuple(sorted({each["commit"] for each in provenances})),
    )
