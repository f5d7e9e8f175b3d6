"""Fits on a Dask cluster that loses a worker end as they do in one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from joblib import Parallel, delayed

from askl.cli.commands.tune import Backend, connect, running_on
from askl.errors import AsklError
from reproduction.folders import Folders
from reproduction.protocol import Trial
from reproduction.records import read_records
from reproduction.run import run_trial
from reproduction.workers import Workers
from tests.scale.conftest import Cluster, Processes, output_of, wait_for

SETTINGS = {"n_components": 64, "max_epochs": 30, "loss": "squared"}


def without_provenance(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that is determined in records, in a fixed order."""
    kept = [{key: each[key] for key in each if key != "provenance"} for each in records]
    return sorted(kept, key=lambda record: str(record["trial"]))


def test_a_scheduler_that_is_not_there() -> None:
    config = pytest.importorskip("dask.config")
    pytest.importorskip("distributed", reason="needs the dask extra: pip install 'askl[dask]'")
    impatient = config.set({"distributed.comm.timeouts.connect": "1s"})
    with impatient, pytest.raises(AsklError, match="cannot be used: Timed out"):
        connect("tcp://127.0.0.1:9")


@pytest.mark.slow
def test_what_trials_share_is_made_again_when_its_worker_is_killed(cluster: Cluster) -> None:
    with running_on(Backend.dask, cluster.address) as share:
        shared = share(np.arange(1000.0))
        (holder,) = wait_for(lambda: cluster.client.who_has([shared]).get(shared.key), "a copy")
        cluster.kill(holder)
        results = Parallel(n_jobs=-1)(delayed(np.sum)(shared, None) for _ in range(2))
    assert results == [499500.0] * 2


def test_a_killed_worker_changes_no_record(cluster: Cluster) -> None:
    trials = [Trial("smoke", "diabetes", "askl", split) for split in range(5)]
    arguments = [(trial, SETTINGS, None) for trial in trials]
    results = Workers(backend="dask", scheduler=cluster.address).map(run_trial, arguments)
    first = next(results)
    cluster.kill_a_busy_worker()
    records = without_provenance([first, *results])
    assert [record["status"] for record in records] == ["done"] * 5
    assert records == without_provenance([run_trial(*each) for each in arguments])


@pytest.mark.slow
def test_a_reproduction_that_loses_a_worker(
    cluster: Cluster, processes: Processes, tmp_path: Path
) -> None:
    chosen = ("--protocol", "smoke", "--dataset", "digits", "--method", "askl", "--method", "sk")
    on_dask = ("--backend", "dask", "--scheduler", cluster.address)
    alone, shared = tmp_path / "alone", tmp_path / "shared"

    def start(command: str, folder: Path, *options: object) -> Any:
        return processes.start("reproduction", command, *chosen, "--results", folder, *options)

    assert "2 of 2 cells tuned" in output_of(start("tune", alone))
    assert "2 of 2 cells tuned" in output_of(start("tune", shared, *on_dask))
    assert "40 of 40 trials run" in output_of(start("run", alone, "--splits", 20))
    running = start("run", shared, *on_dask, "--splits", 20)
    wait_for(lambda: next(shared.glob("trials/**/*.json"), None), "a first record")
    cluster.kill_a_busy_worker()
    assert "40 of 40 trials run" in output_of(running)
    records = without_provenance(list(read_records("smoke", Folders(shared))))
    # The records hold the tuned hyperparameters too.
    assert records == without_provenance(list(read_records("smoke", Folders(alone))))


@pytest.mark.slow
def test_a_search_that_loses_a_worker(
    cluster: Cluster, processes: Processes, table: Path, tmp_path: Path
) -> None:
    # No more trials than are drawn at random: later ones depend on which of them ended first.
    options = ("-t", "y", "--trials", 8, "--set", "n_components=300", "--json", "-q")

    def start(name: str, *others: object) -> Any:
        place = ("-o", tmp_path / name, "--study", f"sqlite:///{tmp_path / name}.db")
        return processes.start("askl", "tune", table, *options, *place, *others)

    def trials_of(name: str) -> dict[int, tuple[dict[str, Any], float]]:
        study = optuna.load_study(study_name="askl", storage=f"sqlite:///{tmp_path / name}.db")
        trials = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
        return {trial.number: (trial.params, trial.value) for trial in trials}

    alone = json.loads(output_of(start("alone")))
    search = start("shared", "--backend", "dask", "--scheduler", cluster.address)
    wait_for(lambda: (tmp_path / "shared.db").exists(), "the study")
    cluster.kill_a_busy_worker()
    shared = json.loads(output_of(search))
    assert len(trials_of("shared")) == 8
    assert trials_of("shared") == trials_of("alone")
    assert (shared["best"], shared["score"]) == (alone["best"], alone["score"])
