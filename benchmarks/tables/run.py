"""Fit what has no record yet, each in a process of its own, and write the records."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import fit_alone
from benchmarks.report import RESULTS, study_store
from studies.machine import commit
from studies.progress import show_progress
from studies.store import Record, Store

# AutoGluon needs some time for its first model.
LEAST_SECONDS = 15.0
OURS = "askl-auto"


class Job(NamedTuple):
    """One fit; ``inner`` holds out training rows in place of the test rows."""

    table: str
    learner: str
    fold: int
    inner: bool = False


def open_store(results: Path = RESULTS) -> Store:
    return study_store("tables", Job._fields, results)


def run_job(job: Job, store: Store, python: str = sys.executable) -> Record:
    """Fit in a new process, and write the record.

    A learner that has a budget of seconds gets those of the automatic model, where they are known.
    """
    ours = store.read().get(job._replace(learner=OURS), {})
    seconds = max(LEAST_SECONDS, ours.get("fit_cpu_seconds", 0.0))
    arguments = [job.table, job.learner, job.fold, "--seconds", seconds, *["--inner"] * job.inner]
    found = fit_alone("benchmarks.tables.fit", *arguments, python=python)
    record: Record = {**job._asdict(), "commit": commit(), **found}
    store.write(record)
    return record


def run_all(
    jobs: Sequence[Job], store: Store, python: str = sys.executable, *, again: bool = False
) -> int:
    """Run the jobs that have no result, or all; return how many were run."""
    records = store.read()
    waiting = [job for job in jobs if again or "errors" not in records.get(job, {})]
    with show_progress("fits", len(waiting), len(waiting)) as advance:
        for job in waiting:
            record = run_job(job, store, python)
            advance(f"{tuple(job)}: {record.get('errors', record.get('error'))}", 1.0)
    return len(waiting)
