"""The comparison with other learners: its jobs, its processes, its records and its statistics."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import log_loss as sklearn_log_loss

from benchmarks.data import Split
from benchmarks.peers import fit, run
from benchmarks.peers.cli import main
from benchmarks.peers.jobs import DATASETS, Job, plan, size, take_shard
from benchmarks.peers.models import PEERS, Task
from benchmarks.peers.records import is_settled, read_record, read_records, write_record

ROOT = Path(__file__).parents[2]
INSTALLED = ("lightgbm", "svm", "svm-tuned", "rff", "nystroem", "hist", "mlp", "askl")


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data sets that come with scikit-learn, under the names of two of the twelve."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, (X, y) in {
        "segment": load_wine(return_X_y=True),
        "abalone": load_diabetes(return_X_y=True),
    }.items():
        np.savez(folder / f"{name}.npz", X=X.astype(np.float32), y=y)
    monkeypatch.setenv("ASKL_DATA", str(folder))
    return folder


def run_peers(*options: str) -> None:
    main(["run", "--splits", "1", *options])


# Jobs


def test_jobs_are_all_pairs_with_the_cheap_first() -> None:
    jobs = plan(DATASETS, PEERS, 5)
    assert len(jobs) == len(set(jobs)) == 12 * 13 * 5
    assert jobs[0].model == "rff"
    assert jobs[-1] == Job("mnist", "realmlp", 4)
    assert size("segment") == 2310 * math.sqrt(19)


def test_shards_are_a_partition() -> None:
    jobs = plan(["segment", "letter"], ["svm", "askl"], 3)
    shards = [take_shard(jobs, f"{index}/5") for index in range(5)]
    assert sorted(job for shard in shards for job in shard) == sorted(jobs)


@pytest.mark.parametrize("shard", ["2/2", "1", "a/b", "-1/2", "0/0"])
def test_a_wrong_shard_is_refused(shard: str) -> None:
    with pytest.raises(ValueError, match="must be i/n"):
        take_shard([], shard)


# Models


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("name", INSTALLED)
def test_every_installed_peer_can_be_made(name: str, regression: bool) -> None:
    model = PEERS[name].make(Task(regression))
    assert hasattr(model, "fit")
    assert hasattr(model, "predict")


def test_default_support_vectors_predict_in_the_units_of_the_targets() -> None:
    X, y = load_diabetes(return_X_y=True)
    predictions = PEERS["svm"].make(Task(regression=True)).fit(X, y).predict(X)
    assert np.sqrt(np.mean((predictions - y) ** 2)) < 0.8 * y.std()


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEERS, "svm", PEERS["svm"]._replace(package="no-such-package"))
    with pytest.raises(ModuleNotFoundError, match="needs the package no-such-package"):
        run.check_installed(["svm"])


# One fit


def test_log_loss_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X, y = np.zeros((6, 1)), np.array([0, 1, 2, 0, 1, 2])
    probabilities = rng.dirichlet(np.ones(3), 6)
    expected = sklearn_log_loss(y, probabilities, labels=[0, 1, 2])
    assert fit.log_loss(probabilities, Split(X, y, X, y)) == pytest.approx(expected)


def test_log_loss_of_a_class_not_trained_on_is_the_greatest() -> None:
    X = np.zeros((2, 1))
    split = Split(X, np.array([0, 2]), X, np.array([1, 3]))
    expected = -math.log(fit.LEAST_PROBABILITY)
    assert fit.log_loss(np.full((2, 2), 0.5), split) == pytest.approx(expected)


def test_measure(embedded: Path) -> None:
    split = fit.protocol_split("segment")
    measured = fit.measure(PEERS["lightgbm"].make(Task(regression=False)), split)
    assert measured["measure"] == "accuracy"
    assert measured["score"] > 90.0
    assert 0.0 < measured["log_loss"] < 1.0
    assert measured["fit_seconds"] > 0.0
    assert measured["peak_memory_mb"] > 10.0


def test_predictions_that_are_not_finite_are_a_failure(embedded: Path) -> None:
    class Broken:
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(FloatingPointError, match="not finite"):
        fit.measure(Broken(), fit.protocol_split("abalone"))


# Processes and records


def test_run_fits_in_processes_and_resumes(
    embedded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--dataset", "segment", "--dataset", "abalone", "--model", "rff"]
    run_peers(*options, "--results", str(tmp_path))
    progress = capsys.readouterr().err
    assert "2/2, 0:00:00 left: " in progress
    assert "2 of 2 fits run" in progress
    record = read_record(Job("segment", "rff", 0), tmp_path)
    assert record is not None
    assert (record["status"], record["measure"], record["threads"]) == ("done", "accuracy", 1)
    assert record["score"] > 90.0
    assert record["log_loss"] is None  # ridge has no probabilities
    assert record["fit_cpu_seconds"] > 0.0
    assert record["machine"]["versions"]["lightgbm"]
    assert read_record(Job("abalone", "rff", 0), tmp_path)["measure"] == "rmse"
    run_peers(*options, "--results", str(tmp_path))
    assert "0 of 2 fits run" in capsys.readouterr().err


def test_a_timeout_is_recorded_and_repeated_only_with_more_time(
    embedded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--dataset", "segment", "--model", "svm", "--results", str(tmp_path)]
    run_peers(*options, "--time-limit", "0.01")
    record = read_record(Job("segment", "svm", 0), tmp_path)
    assert (record["status"], record["time_limit"]) == ("timeout", 0.01)
    assert "segment svm split 0: timeout (0.01 s)" in capsys.readouterr().err
    run_peers(*options, "--time-limit", "0.01")
    assert "0 of 1 fits run" in capsys.readouterr().err
    run_peers(*options)
    assert read_record(Job("segment", "svm", 0), tmp_path)["status"] == "done"


def test_what_was_too_slow_on_the_first_split_is_not_tried_on_others(
    embedded: Path, tmp_path: Path
) -> None:
    limits = run.Limits(time_limit=0.01)
    job = Job("segment", "svm", 1)
    assert "as_split" not in run.run_job(job, limits, tmp_path)
    run.run_job(job._replace(split=0), limits, tmp_path)
    record = run.run_job(job, limits, tmp_path)
    assert (record["status"], record["as_split"]) == ("timeout", 0)
    assert run.run_job(job, run.Limits(time_limit=60.0), tmp_path)["status"] == "done"


def test_a_failure_is_recorded_with_its_error(embedded: Path, tmp_path: Path) -> None:
    np.savez(embedded / "segment.npz", X=np.zeros((10, 2), np.float32), y=np.zeros(10, int))
    run_peers("--dataset", "segment", "--model", "svm", "--results", str(tmp_path))
    record = read_record(Job("segment", "svm", 0), tmp_path)
    assert record["status"] == "failed"
    assert "The number of classes has to be greater than one" in record["error"]


def test_memory_above_the_limit_is_refused() -> None:
    code = "import numpy; from benchmarks.peers import fit; fit.limit_memory(1); numpy.ones(2**28)"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "Unable to allocate 2.00 GiB" in ended.stderr


def test_a_killed_run_leaves_whole_records_and_goes_on(embedded: Path, tmp_path: Path) -> None:
    options = ["--dataset", "segment", "--model", "svm", "--splits", "2"]
    command = [sys.executable, "-m", "benchmarks.peers", "run", "--results", str(tmp_path)]
    process = subprocess.Popen(
        [*command, *options], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 60.0
    while not read_records(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = read_records(tmp_path)
    assert len(before) == 1
    main(["run", "--results", str(tmp_path), *options])
    after = read_records(tmp_path)
    assert [record["status"] for record in after] == ["done"] * 2
    assert after[0] == before[0]


@pytest.mark.parametrize(
    ("status", "limit", "retry", "settled"),
    [
        ("done", 900.0, True, True),
        ("timeout", 600.0, False, True),
        ("timeout", 600.1, False, False),
        ("timeout", 10.0, True, False),
        ("failed", 900.0, False, True),
        ("failed", 600.0, True, False),
    ],
)
def test_what_is_settled(status: str, limit: float, retry: bool, settled: bool) -> None:
    record = {"status": status, "time_limit": 600.0}
    assert is_settled(record, limit, retry=retry) is settled
    assert not is_settled(None, limit, retry=retry)


def test_no_part_of_a_record_is_left_where_writing_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_record({**Job("segment", "svm", 0)._asdict(), "score": math.nan}, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# Mistakes


def test_what_the_user_can_mend_is_said_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ASKL_DATA", raising=False)
    with pytest.raises(SystemExit, match="Error: The environment variable ASKL_DATA"):
        run_peers("--dataset", "segment", "--model", "svm", "--results", str(tmp_path))
