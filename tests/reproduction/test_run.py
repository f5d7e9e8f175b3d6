"""Runs can be killed, resumed and repeated, and end with the same records."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned, write_tuned
from reproduction.protocol import METHODS, ProtocolError, Trial
from reproduction.records import read_records
from reproduction.run import parameters_of, run_all, run_trial
from reproduction.tables import FORMATS
from reproduction.workers import Workers


def results_of(folders: Folders) -> dict[tuple[Any, ...], dict[str, Any]]:
    """All that is determined in a folder's records; every one must be whole."""
    return {
        tuple(record["trial"].values()): {**record, "provenance": None}
        for record in read_records("smoke", folders)
    }


def trial_files(folders: Folders) -> list[Path]:
    return list((folders.build / "trials").glob("*/*/[!.]*.json"))


def test_a_study_has_all_records_with_all_they_need(study: Folders, trials: list[Trial]) -> None:
    records = list(read_records("smoke", study))
    assert len(records) == len(trials)
    for record in records:
        assert record["status"] == "done"
        assert record["metrics"].keys() == {"train", "test"}
        assert record["parameters"]["n_components"] == 64
        # Larger data sets can have fewer epochs than the protocol's others.
        epochs = 2 if record["trial"]["dataset"] == "digits" else 3
        assert record["parameters"]["max_epochs"] == epochs
        assert record["provenance"].keys() >= {"seconds", "commit", "versions", "machine"}


def test_curves_end_at_the_final_figure(study: Folders) -> None:
    records = study.store("smoke", "digits").read()
    for method in METHODS:
        record = records[method, 1]
        history = record["history"]
        assert history["iteration"] == list(range(5, 5 * len(history["test"]) + 1, 5))
        assert history["test"][-1] == pytest.approx(
            record["metrics"]["test"]["accuracy_percent"], abs=2.0
        )
        assert history["objective"][-1] < history["objective"][0]


def test_a_deleted_record_is_written_again_alone_and_alike(
    study: Folders, trials: list[Trial], tmp_path: Path
) -> None:
    copy = Folders(shutil.copytree(study.results, tmp_path / "copy"))
    deleted = trial_files(copy)[7]
    deleted.unlink()
    before = {path: path.stat().st_mtime_ns for path in trial_files(copy)}
    assert run_all(trials, copy, None, Workers()) == 1
    assert results_of(copy) == results_of(study)
    after = {path: path.stat().st_mtime_ns for path in trial_files(copy)}
    assert {path for path in after if after[path] != before.get(path)} == {deleted}


def test_what_is_compacted_is_the_same_and_not_run_again(
    study: Folders, trials: list[Trial], tmp_path: Path
) -> None:
    copy = Folders(shutil.copytree(study.results, tmp_path / "copy"))
    for dataset in ("digits", "diabetes"):
        assert copy.store("smoke", dataset).compact() == 10
    assert trial_files(copy) == []
    assert results_of(copy) == results_of(study)
    assert run_all(trials, copy, None, Workers()) == 0
    for style, write in FORMATS.items():
        before, after = (list(read_records("smoke", each)) for each in (study, copy))
        assert write(before) == write(after), style


def test_kill_nine_three_times_changes_nothing(
    study: Folders,
    trials: list[Trial],
    folders: Folders,
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    command = ["run", "--protocol", "smoke", "--dataset", "digits", "--dataset", "diabetes"]
    command += ["--results", str(folders.results)]
    for n_records in (2, 7, 13):
        process = start(*command)
        while len(trial_files(folders)) < n_records:
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        partial = results_of(folders)
        assert n_records <= len(partial) < len(trials)
    # The last run is in parallel, which must not matter either.
    process = start(*command, "--jobs", "2")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert f"{len(trials) - len(partial)} of {len(trials)} trials run" in output
    assert results_of(folders) == results_of(study)


def test_a_failure_is_recorded_and_never_tried_again(folders: Folders) -> None:
    tables = read_tuned("smoke", "diabetes", folders)
    tables["sk"]["parameters"]["frequency_scale"] = -1.0
    write_tuned("smoke", "diabetes", folders, tables)
    trial, store = Trial("smoke", "diabetes", "sk", 0), folders.store("smoke", "diabetes")
    assert run_all([trial], folders, None, Workers()) == 1
    record = store.read()["sk", 0]
    assert record["status"] == "failed"
    assert "The 'frequency_scale' parameter" in record["error"]
    assert "metrics" not in record
    assert run_all([trial], folders, None, Workers()) == 0
    # With other settings it is another trial.
    tables["sk"]["parameters"]["frequency_scale"] = 1.0
    write_tuned("smoke", "diabetes", folders, tables)
    assert run_all([trial], folders, None, Workers()) == 1
    assert store.read()["sk", 0]["status"] == "done"


def test_an_interrupted_trial_has_no_record(folders: Folders) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    trial = Trial("smoke", "diabetes", "skl", 0)
    parameters = {**parameters_of(trial, folders), "callback": interrupt, "record_every": 1}
    with pytest.raises(KeyboardInterrupt):
        run_trial(trial, parameters, None)


def test_an_untuned_trial_says_how_to_tune_it(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="reproduction tune --protocol smoke --dataset digits"):
        run_all([Trial("smoke", "digits", "sk", 0)], Folders(tmp_path), None, Workers())
