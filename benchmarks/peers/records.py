"""Records: one JSON file for each fit, written whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from askl.persistence import write_atomic
from benchmarks.machine import describe_machine
from benchmarks.peers.jobs import DATASETS, Job
from benchmarks.peers.models import PEERS
from benchmarks.report import RESULTS

FOLDER = RESULTS / "peers"
# Those of one run on one machine, whose seconds can be compared.
COST_FOLDER = RESULTS / "cost"

Record = dict[str, Any]


def record_path(job: Job, folder: Path) -> Path:
    return folder / job.dataset / job.model / f"{job.split}.json"


def write_record(record: Record, folder: Path) -> None:
    """Write a record in its place; a process killed meanwhile leaves the old one or none."""
    path = record_path(Job(record["dataset"], record["model"], record["split"]), folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, (json.dumps(record, indent=2, allow_nan=False) + "\n").encode("utf-8"))


def read_record(job: Job, folder: Path) -> Record | None:
    """Read the record of a job, or None where there is none."""
    path = record_path(job, folder)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def read_records(folder: Path) -> list[Record]:
    """Read all records of the known data sets and models, in the order of these."""
    paths = [
        path
        for dataset in DATASETS
        for model in PEERS
        for path in sorted((folder / dataset / model).glob("[0-9]*.json"))
    ]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def is_settled(record: Record | None, time_limit: float, *, retry: bool) -> bool:
    """Say whether a job need not be run.

    What is done is never repeated. What failed is tried again on demand, and what ran out of
    time also when it is given more.
    """
    if record is None:
        return False
    if record["status"] == "done":
        return True
    more_time = record["status"] == "timeout" and time_limit > record["time_limit"]
    return not (retry or more_time)


def describe_setting() -> Mapping[str, object]:
    """Describe the machine, the versions of all peers installed, and the commit of ours."""
    machine: dict[str, Any] = {**describe_machine(), "commit": _commit()}
    for package in sorted({peer.package for peer in PEERS.values()}):
        try:
            machine["versions"][package] = version(package)
        except PackageNotFoundError:
            continue
    return machine


def _commit() -> str | None:
    """The checkout's commit, marked where files differ from it; None outside a checkout."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=RESULTS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return found.stdout.strip() or None
