"""Fit what has no record yet, each in a process of its own, and write the records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.data import data_folder
from benchmarks.peers.jobs import Job, expected_seconds
from benchmarks.peers.models import PEERS
from benchmarks.peers.records import (
    Record,
    describe_setting,
    is_settled,
    read_record,
    write_record,
)

ROOT = Path(__file__).parents[2]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Limits(NamedTuple):
    """What every fit may use: seconds for its whole process, threads, gigabytes."""

    time_limit: float = 600.0
    threads: int = 1
    memory_limit: float | None = None


def check_installed(models: Iterable[str]) -> None:
    """Refuse to begin without a library, whose absence would look like a failure of the peer."""
    for model in models:
        package = PEERS[model].package
        try:
            version(package)
        except PackageNotFoundError:
            raise ModuleNotFoundError(
                f"The peer {model!r} needs the package {package}, which is not installed. "
                "Run `make peers`, which has all of them, or choose other peers with --model."
            ) from None


def fit_alone(job: Job, limits: Limits) -> dict[str, Any]:
    """Fit in a new process; return its status, and what it measured or why it did not."""
    command = [sys.executable, "-m", "benchmarks.peers.fit", *map(str, job)]
    for name, value in limits._asdict().items():
        command += [f"--{name.replace('_', '-')}", str(value)] if value is not None else []
    threads = dict.fromkeys(THREAD_VARIABLES, str(limits.threads))
    # The folder may be relative to where the program was called.
    environment = {**os.environ, **threads, "ASKL_DATA": str(data_folder().resolve())}
    try:
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=limits.time_limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"status": "timeout"}
    if ended.returncode:
        # The last line names the exception; those before it are about files of this machine. A
        # negative code is the signal that ended the process: -9 where memory ran out.
        last = [line for line in ended.stderr.splitlines() if line.strip()][-1:]
        return {"status": "failed", "error": " ".join([f"exit code {ended.returncode}", *last])}
    return {"status": "done", **json.loads(ended.stdout.splitlines()[-1])}


def is_too_slow(job: Job, limits: Limits, folder: Path) -> bool:
    """Say whether the model ran out of as much time on the first split of the same data."""
    first = read_record(job._replace(split=0), folder)
    late = first is not None and first["status"] == "timeout"
    return late and job.split > 0 and limits.time_limit <= first["time_limit"]


def run_job(job: Job, limits: Limits, folder: Path) -> Record:
    """Fit, unless it would take too long for sure, and write the record."""
    machine = describe_setting()
    too_slow = is_too_slow(job, limits, folder)
    found = {"status": "timeout", "as_split": 0} if too_slow else fit_alone(job, limits)
    record: Record = {**job._asdict(), **found, **limits._asdict()}
    record["finished"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    record["machine"] = machine
    write_record(record, folder)
    return record


def run_all(jobs: Sequence[Job], limits: Limits, folder: Path, *, retry: bool = False) -> int:
    """Run the jobs that are not settled, and say after each how long the others will take."""
    waiting = [
        job
        for job in jobs
        if not is_settled(read_record(job, folder), limits.time_limit, retry=retry)
    ]
    check_installed({job.model for job in waiting})
    seconds = [expected_seconds(job, limits.time_limit) for job in waiting]
    started = time.monotonic()
    for number, job in enumerate(waiting, start=1):
        record = run_job(job, limits, folder)
        passed = time.monotonic() - started
        left = passed * sum(seconds[number:]) / sum(seconds[:number])
        print(
            f"{number}/{len(waiting)}, {timedelta(seconds=round(left))} left: {describe(record)}",
            file=sys.stderr,
            flush=True,
        )
    return len(waiting)


def describe(record: Record) -> str:
    """Say in a line what came of a job."""
    name = f"{record['dataset']} {record['model']} split {record['split']}"
    if record["status"] == "done":
        return f"{name}: {record['measure']} {record['score']:.2f}, {record['fit_seconds']:.1f} s"
    reason = record.get("error", f"{record['time_limit']:g} s")
    return f"{name}: {record['status']} ({reason})"
