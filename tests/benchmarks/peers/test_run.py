"""Runs: every fit in a process of its own, resumable, with limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers import run
from benchmarks.peers.cli import main
from benchmarks.peers.jobs import Job
from benchmarks.peers.models import PEERS
from benchmarks.peers.records import read_records
from studies.store import Store

ROOT = Path(__file__).parents[3]


def run_peers(*options: str) -> None:
    main(["run", "--splits", "1", *options])


def test_a_library_that_is_not_installed_is_named() -> None:
    peers = {"svm": PEERS["svm"], "new": PEERS["svm"]._replace(package="no-such-package")}
    with pytest.raises(ModuleNotFoundError, match="'new' needs the package no-such-package"):
        run.check_installed(peers)


def test_run_fits_in_processes_and_resumes(
    embedded: Path, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--dataset", "segment", "--dataset", "abalone", "--model", "rff"]
    run_peers(*options, "--results", str(tmp_path))
    progress = capsys.readouterr().err
    assert "fits 2/2, 0:00:00 left: " in progress
    assert "2 of 2 fits run" in progress
    record = store.read()["segment", "rff", 0]
    assert (record["status"], record["measure"], record["threads"]) == ("done", "accuracy", 1)
    assert record["score"] > 90.0
    assert record["log_loss"] is None  # ridge has no probabilities
    assert record["fit_cpu_seconds"] > 0.0
    assert record["machine"]["versions"]["lightgbm"]
    assert store.read()["abalone", "rff", 0]["measure"] == "rmse"
    main(["compact", "--results", str(tmp_path)])
    assert store.table.exists()
    capsys.readouterr()
    run_peers(*options, "--results", str(tmp_path))
    assert "0 of 2 fits run" in capsys.readouterr().err


def test_a_timeout_is_recorded_and_repeated_only_with_more_time(
    embedded: Path, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--dataset", "segment", "--model", "svm", "--results", str(tmp_path)]
    run_peers(*options, "--time-limit", "0.01")
    record = store.read()["segment", "svm", 0]
    assert (record["status"], record["time_limit"]) == ("timeout", 0.01)
    assert "segment svm split 0: timeout (0.01 s)" in capsys.readouterr().err
    run_peers(*options, "--time-limit", "0.01")
    assert "0 of 1 fits run" in capsys.readouterr().err
    run_peers(*options)
    assert store.read()["segment", "svm", 0]["status"] == "done"


def test_what_was_too_slow_on_the_first_split_is_not_tried_on_others(
    embedded: Path, store: Store
) -> None:
    limits = run.Limits(time_limit=0.01)
    job = Job("segment", "svm", 1)
    assert "as_split" not in run.run_job(job, limits, store)
    run.run_job(job._replace(split=0), limits, store)
    record = run.run_job(job, limits, store)
    assert (record["status"], record["as_split"]) == ("timeout", 0)
    assert run.run_job(job, run.Limits(time_limit=60.0), store)["status"] == "done"


def test_a_failure_is_recorded_with_its_error(embedded: Path, store: Store, tmp_path: Path) -> None:
    np.savez(embedded / "segment.npz", X=np.zeros((10, 2), np.float32), y=np.zeros(10, int))
    run_peers("--dataset", "segment", "--model", "svm", "--results", str(tmp_path))
    record = store.read()["segment", "svm", 0]
    assert record["status"] == "failed"
    assert "The number of classes has to be greater than one" in record["error"]


def test_a_killed_run_leaves_whole_records_and_continues(
    embedded: Path, store: Store, tmp_path: Path
) -> None:
    options = ["--dataset", "segment", "--model", "svm", "--splits", "2"]
    command = [sys.executable, "-m", "benchmarks.peers", "run", "--results", str(tmp_path)]
    process = subprocess.Popen(
        [*command, *options], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not store.read():
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = read_records(store)
    assert len(before) == 1
    main(["run", "--results", str(tmp_path), *options])
    after = read_records(store)
    assert [record["status"] for record in after] == ["done"] * 2
    assert after[0] == before[0]


def test_a_mistake_of_the_user_is_printed_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ASKL_DATA", raising=False)
    with pytest.raises(SystemExit, match="Error: The environment variable ASKL_DATA"):
        run_peers("--dataset", "segment", "--model", "svm", "--results", str(tmp_path))
