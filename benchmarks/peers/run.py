"""Fit what has no record yet, each in a process of its own, and write the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from benchmarks.peers.jobs import Job, expected_seconds
from benchmarks.peers.models import PEERS, Peer
from benchmarks.peers.records import describe_setting, is_settled
from benchmarks.processes import fit_alone
from studies.progress import show_progress
from studies.store import Record, Store


class Limits(NamedTuple):
    """What every fit may use: seconds for its whole process, threads, gigabytes."""

    time_limit: float = 600.0
    threads: int = 1
    memory_limit: float | None = None


def check_installed(peers: Mapping[str, Peer]) -> None:
    """Raise if a library is not installed: every fit would be recorded as a failure."""
    for model, peer in peers.items():
        try:
            version(peer.package)
        except PackageNotFoundError:
            raise ModuleNotFoundError(
                f"The peer {model!r} needs the package {peer.package}, which is not installed. "
                "Run `make peers`, which has all of them, or choose other peers with --model."
            ) from None


def fit_job(job: Job, limits: Limits) -> dict[str, Any]:
    """Fit in a new process; return its status, and what it measured or why it failed."""
    options: list[object] = []
    for name, value in limits._asdict().items():
        options += [f"--{name.replace('_', '-')}", value] if value is not None else []
    return fit_alone(
        "benchmarks.peers.fit",
        *job,
        *options,
        threads=limits.threads,
        time_limit=limits.time_limit,
    )


def is_too_slow(job: Job, limits: Limits, store: Store) -> bool:
    """Return True if the model ran out of as much time on the first split of the same data."""
    first = store.read().get(job._replace(split=0))
    if first is None or first["status"] != "timeout":
        return False
    return job.split > 0 and limits.time_limit <= float(first["time_limit"])


def run_job(job: Job, limits: Limits, store: Store) -> Record:
    """Fit, unless it would take too long for sure, and write the record."""
    setting = describe_setting()
    too_slow = is_too_slow(job, limits, store)
    found = {"status": "timeout", "as_split": 0} if too_slow else fit_job(job, limits)
    record: Record = {**job._asdict(), **found, **limits._asdict()}
    record["finished"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    record |= setting
    store.write(record)
    return record


def run_all(jobs: Sequence[Job], limits: Limits, store: Store, *, retry: bool = False) -> int:
    """Run the jobs that are not settled, and tell after each how long the others will take."""
    records = store.read()
    waiting = [
        job for job in jobs if not is_settled(records.get(job), limits.time_limit, retry=retry)
    ]
    check_installed({job.model: PEERS[job.model] for job in waiting})
    seconds = {job: expected_seconds(job, limits.time_limit) for job in waiting}
    with show_progress("fits", len(waiting), sum(seconds.values())) as advance:
        for job in waiting:
            advance(describe(run_job(job, limits, store)), seconds[job])
    return len(waiting)


def describe(record: Record) -> str:
    """Return the result of a job in a line."""
    name = f"{record['dataset']} {record['model']} split {record['split']}"
    if record["status"] == "done":
        return f"{name}: {record['measure']} {record['score']:.2f}, {record['fit_seconds']:.1f} s"
    reason = record.get("error", f"{record['time_limit']:g} s")
    return f"{name}: {record['status']} ({reason})"
