"""Records: one table for each protocol and data set, and the trials that are not in it yet."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from reproduction.folders import Folders
from reproduction.protocol import Trial
from studies.machine import commit, processor, versions
from studies.store import Record

PACKAGES = ("askl", "torch", "numpy", "scipy", "scikit-learn")


def write_record(record: Record, folders: Folders) -> Path:
    """Write a trial's record beside the table of its data set."""
    trial = Trial(**record["trial"])
    return folders.store(trial.protocol, trial.dataset).write(record)


def read_records_of(trials: Iterable[Trial], folders: Folders) -> dict[Trial, Record]:
    """Read the records of trials, as far as there are any."""
    wanted = set(trials)
    found: dict[Trial, Record] = {}
    for protocol, dataset in {(trial.protocol, trial.dataset) for trial in wanted}:
        for record in folders.store(protocol, dataset).read().values():
            found[Trial(**record["trial"])] = record
    return {trial: record for trial, record in found.items() if trial in wanted}


def read_records(protocol: str, folders: Folders) -> Iterator[Record]:
    """Read all records of a protocol, failed ones too, in a fixed order."""
    for dataset in folders.recorded_datasets(protocol):
        yield from folders.store(protocol, dataset).read().values()


def is_current(record: Record | None, parameters: Mapping[str, Any] | None) -> bool:
    """Return True if a trial need not be run: it has a record, made with the same parameters.

    A failed trial is a result too: it is never tried again, and never with another seed.
    """
    return record is not None and record["parameters"] == parameters


def provenance(seconds: float) -> dict[str, Any]:
    """Describe when, where and with what a record was made, and in how many processor seconds."""
    return {
        "seconds": round(seconds, 3),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "versions": {"python": platform.python_version(), **versions(PACKAGES)},
        "machine": {
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
        },
    }
