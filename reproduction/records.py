"""Records: one JSON file for each trial, written whole or not at all."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reproduction.files import write_text_atomically
from reproduction.protocol import Trial

Record = dict[str, Any]
PACKAGES = ("askl", "torch", "numpy", "scipy", "scikit-learn")


def write_record(record: Record, results: Path) -> Path:
    """Write a trial's record in its place; NaN and infinity are refused, as JSON has neither."""
    path = Trial(**record["trial"]).path(results)
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in record.items()
    )
    write_text_atomically(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return path


def read_record(trial: Trial, results: Path) -> Record | None:
    """Read a trial's record, or None where there is none."""
    try:
        text = trial.path(results).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    record: Record = json.loads(text)
    return record


def read_records(protocol: str, results: Path) -> Iterator[Record]:
    """Read all records of a protocol, failed ones too, in a fixed order."""
    for path in sorted((results / "records" / protocol).glob("*/*/*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def is_current(record: Record | None, hyperparameters: Mapping[str, Any]) -> bool:
    """Say whether a trial need not be run: it has a record, made with the same settings.

    A failed trial is a result too: it is never tried again, let alone with another seed.
    """
    return record is not None and record["hyperparameters"] == hyperparameters


def provenance(seconds: float) -> dict[str, Any]:
    """Describe when, where and with what a record was made, and in how many processor seconds."""
    return {
        "seconds": round(seconds, 3),
        "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "versions": {"python": platform.python_version(), **versions()},
        "machine": {
            "system": platform.platform(terse=True),
            "processor": processor(),
            "cores": os.cpu_count(),
        },
    }


@lru_cache
def versions() -> dict[str, str]:
    """Return the versions of the packages a result depends on."""
    return {package: version(package) for package in PACKAGES}


@lru_cache
def commit() -> str:
    """Return the checkout's commit, with ``+`` where the library's source differs from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("diff", "--quiet", "HEAD", "--", "src").returncode != 0
    except OSError:
        return "unknown"
    return "unknown" if head.returncode else head.stdout.strip() + "+" * changed


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *arguments],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


@lru_cache
def processor() -> str:
    """Return the processor's name, as exact as the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()
