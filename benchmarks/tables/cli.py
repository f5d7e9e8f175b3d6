"""Fit what has no record yet, and print the table: ``python -m benchmarks.tables run | table``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import data_folder
from benchmarks.report import RESULTS
from benchmarks.tables.data import MEASURES, TABLES
from benchmarks.tables.learners import LEARNERS

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "tables"
RECORDS = RESULTS / "tables.jsonl"
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
# AutoGluon needs some time for its first model.
LEAST_SECONDS = 15.0

Record = dict[str, Any]
Key = tuple[str, str, int, bool]


def key_of(record: Record) -> Key:
    return record["table"], record["learner"], record["fold"], record["inner"]


def read_records() -> dict[Key, Record]:
    """Read the committed records, and those of this checkout's own runs over them."""
    lines = RECORDS.read_text(encoding="utf-8").splitlines() if RECORDS.exists() else []
    lines += [path.read_text(encoding="utf-8") for path in sorted(BUILD.glob("*.json"))]
    return {key_of(record): record for record in map(json.loads, lines)}


def write_record(record: Record) -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    name = "-".join(map(str, key_of(record)))
    temporary = BUILD / f".{name}.{os.getpid()}"
    temporary.write_text(json.dumps(record), encoding="utf-8")
    os.replace(temporary, BUILD / f"{name}.json")


def compact() -> None:
    """Write all records into one sorted file of JSON lines; a second call changes nothing."""
    records = read_records()
    lines = [json.dumps(records[key], sort_keys=True) for key in sorted(records)]
    RECORDS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def commit() -> str:
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return found.stdout.strip()


def run_one(key: Key, python: str, seconds: float) -> Record:
    table, learner, fold, inner = key
    command = [python, "-m", "benchmarks.tables.fit", table, learner, str(fold)]
    command += ["--seconds", f"{seconds:.1f}", *(["--inner"] if inner else [])]
    environment = {**os.environ, **THREADS, "ASKL_DATA": str(data_folder().resolve())}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    record: Record = {"table": table, "learner": learner, "fold": fold, "inner": inner}
    if ended.returncode:
        return {**record, "error": ended.stderr.strip().splitlines()[-1:]}
    return {**record, "commit": commit(), **json.loads(ended.stdout.splitlines()[-1])}


def run(options: argparse.Namespace) -> None:
    index, count = map(int, options.shard.split("/"))
    jobs = [
        (table, learner, fold, options.inner)
        for table in options.table or TABLES
        for fold in options.fold or [0]
        for learner in options.learner or ["askl-auto", "askl", "catboost", "lightgbm"]
    ]
    for job in jobs[index::count]:
        records = read_records()
        if job in records and "errors" in records[job] and not options.again:
            continue
        ours = records.get((job[0], "askl-auto", *job[2:]), {})
        seconds = max(LEAST_SECONDS, ours.get("fit_cpu_seconds", LEAST_SECONDS))
        record = run_one(job, options.python, seconds)
        write_record(record)
        print(*job, record.get("errors", record.get("error")), file=sys.stderr, flush=True)


def table(options: argparse.Namespace) -> None:
    """Print each learner's error, as a ratio of that of the automatic model."""
    records = read_records()
    print("| table | measure | " + " | ".join(LEARNERS) + " |")
    print("| --- " * (2 + len(LEARNERS)) + "|")
    ratios: dict[str, list[float]] = {learner: [] for learner in LEARNERS}
    for name, task in TABLES.items():
        cells, ours = [], None
        for learner in LEARNERS:
            found = [records.get((name, learner, fold, options.inner)) for fold in options.fold]
            errors = [each["errors"][MEASURES[task]] for each in found if each and "errors" in each]
            if len(errors) < len(options.fold):
                cells.append("-")
                continue
            error = float(np.mean(errors))
            ours = error if learner == "askl-auto" else ours
            seconds = np.mean([each["fit_cpu_seconds"] for each in found if each])
            cells.append(f"{error:.5g} ({seconds:.0f} s)")
            if ours is not None:
                ratios[learner].append(error / ours)
        print(f"| {name} | {MEASURES[task]} | " + " | ".join(cells) + " |")
    for learner, values in ratios.items():
        if values and learner != "askl-auto":
            better = sum(value > 1.0 for value in values)
            mean = float(np.exp(np.mean(np.log(values))))
            print(f"askl-auto is better than {learner} on {better} of {len(values)}; "
                  f"geometric mean of its error over ours {mean:.3f}")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "table", "compact"))
    parser.add_argument("--table", action="append", choices=tuple(TABLES))
    parser.add_argument("--learner", action="append", choices=tuple(LEARNERS))
    parser.add_argument("--fold", action="append", type=int)
    parser.add_argument("--inner", action="store_true", help="held-out training rows, to develop")
    parser.add_argument("--again", action="store_true", help="fit again what has a record")
    parser.add_argument("--shard", default="0/1", help="every n-th job from the i-th on: i/n")
    parser.add_argument("--python", default=sys.executable, help="interpreter of an environment")
    options = parser.parse_args(arguments)
    options.fold = options.fold or [0]
    {"run": run, "table": table, "compact": lambda _: compact()}[options.action](options)
