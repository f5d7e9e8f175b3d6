"""Records of the studies: where they are, in which order they are read, what need not be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.machine import PACKAGES
from benchmarks.peers.jobs import DATASETS, Job
from benchmarks.peers.models import PEERS
from benchmarks.report import RESULTS, study_store
from studies.machine import commit, describe_machine, load_average
from studies.store import Record, Store

# All fits; and those of one run on one machine, whose seconds can be compared.
STUDIES = ("peers", "cost")


def open_store(study: str = "peers", results: Path = RESULTS) -> Store:
    """Return where the records of a study are: its committed table, and what a run has added."""
    return study_store(study, Job._fields, results)


def read_records(store: Store) -> list[Record]:
    """Read all records of the known data sets and models, in the order of these."""
    jobs = {Job(*key): record for key, record in store.read().items()}
    datasets, models = list(DATASETS), list(PEERS)
    known = [job for job in jobs if job.dataset in DATASETS and job.model in PEERS]
    known.sort(key=lambda job: (datasets.index(job.dataset), models.index(job.model), job.split))
    return [jobs[job] for job in known]


def is_settled(record: Record | None, time_limit: float, *, retry: bool) -> bool:
    """Return True if a job need not be run.

    What is done is never repeated. What failed is tried again on demand, and what ran out of
    time also when it is given more.
    """
    if record is None:
        return False
    if record["status"] == "done":
        return True
    more_time = record["status"] == "timeout" and time_limit > record["time_limit"]
    return not (retry or more_time)


def describe_setting() -> dict[str, Any]:
    """Describe the machine, its load, the versions of all peers installed, and our commit."""
    packages = dict.fromkeys([*PACKAGES, *sorted({peer.package for peer in PEERS.values()})])
    return {
        "load_at_start": load_average(),
        "commit": commit(),
        "machine": describe_machine(packages),
    }
