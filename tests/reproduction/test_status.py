"""The state of a study: every trial is counted once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned, write_tuned
from reproduction.protocol import METHODS, Trial
from reproduction.records import read_records_of, write_record
from reproduction.run import run_all
from reproduction.status import dataset_status
from reproduction.workers import Workers


def test_trials_are_done_failed_outdated_or_missing(folders: Folders) -> None:
    done, failed, outdated = (Trial("smoke", "diabetes", method, 0) for method in METHODS[:3])
    run_all([done, failed, outdated], folders, None, Workers())
    record = read_records_of([failed], folders)[failed]
    write_record({**record, "status": "failed"}, folders)
    tables = read_tuned("smoke", "diabetes", folders)
    tables[outdated.method]["parameters"]["head_penalty"] *= 10.0
    del tables["askl"]
    write_tuned("smoke", "diabetes", folders, tables)
    status = dataset_status("smoke", "diabetes", folders)
    assert (status.n_tuned, status.done, status.failed) == (4, 1, 1)
    assert (status.outdated, status.missing) == (1, 7)
    assert status.hours > 0.0
    assert len(status.commits) == 1


@pytest.mark.parametrize("protocol", ["corrected", "paper"])
def test_no_committed_record_is_outdated(protocol: str, tmp_path: Path) -> None:
    # A copy, without the trials that a run of this checkout has added.
    for name in ("records", "hyperparameters"):
        shutil.copytree(Folders().results / name, tmp_path / name)
    folders = Folders(tmp_path)
    for dataset in folders.recorded_datasets(protocol):
        status = dataset_status(protocol, dataset, folders)
        assert (status.outdated, status.failed) == (0, 0)
        assert status.done >= 25
