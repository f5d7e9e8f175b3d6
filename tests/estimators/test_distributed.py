"""Fits shared by real processes on the loopback device agree with a fit of one process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch.distributed

from askl import SpectralKernelClassifier
from askl.errors import CheckpointError, DistributedError
from askl.persistence.checkpoint import read_checkpoint

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_gloo_available(), reason="needs torch.distributed with gloo"
)
PROGRAM = Path(__file__).with_name("shared_fit.py")
NO_VICTIM = "-1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(n_processes: int | None, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program under torchrun, or by itself."""
    command = [sys.executable]
    if n_processes is not None:
        command += ["-m", "torch.distributed.run", f"--nproc-per-node={n_processes}"]
        command += ["--master-addr=127.0.0.1", f"--master-port={free_port()}"]
    command += [str(PROGRAM), *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def results(folder: Path, rank: int = 0) -> dict[str, np.ndarray]:
    with np.load(folder / f"{rank}.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The results of one process without any others."""
    folder = tmp_path_factory.mktemp("alone")
    assert run(None, folder).returncode == 0
    return results(folder)


def distance(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


SLOW = pytest.mark.slow  # every process imports torch


@pytest.mark.parametrize(
    "n_processes", [pytest.param(1, marks=SLOW), 2, pytest.param(4, marks=SLOW)]
)
def test_processes_together_learn_what_one_learns_alone(n_processes, alone, tmp_path):
    done = run(n_processes, tmp_path)
    assert done.returncode == 0, done.stderr
    found = results(tmp_path)
    assert found.keys() == alone.keys()
    for name in found.keys() - {"seed"}:
        assert distance(found[name], alone[name]) < 1e-5, name
    for rank in range(1, n_processes):
        for name, array in results(tmp_path, rank).items():
            np.testing.assert_array_equal(array, found[name], err_msg=name)


@pytest.mark.parametrize("victim", [pytest.param(0, marks=SLOW), 1])
def test_when_one_dies_all_end_and_the_next_fit_continues(victim, tmp_path):
    (tmp_path / "whole").mkdir()
    died = run(2, tmp_path, victim)
    assert died.returncode != 0
    # torchrun names the dead, and ends the others if they do not notice first and say so.
    assert "Signal 9 (SIGKILL)" in died.stderr
    assert f"rank      : {victim}" in died.stderr
    iterations = read_checkpoint(tmp_path / "state")[0]["numbers"]["iterations"]
    assert iterations == 20  # the dead took their components along: the last regular state
    again = run(3, tmp_path, NO_VICTIM)
    assert again.returncode == 0, again.stderr
    assert not (tmp_path / "state").exists()
    assert run(None, tmp_path / "whole", NO_VICTIM).returncode == 0
    expected = results(tmp_path / "whole")["weights"]
    assert distance(results(tmp_path)["weights"], expected) < 1e-5


@pytest.fixture
def group_of_one(monkeypatch):
    """This process alone, as a program that joins its group itself."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


SMALL = {"n_components": 20, "max_epochs": 3, "early_stopping": True, "random_state": 0}


def test_a_group_that_the_program_has_joined_is_used(group_of_one, classes, tmp_path):
    together = SpectralKernelClassifier(
        **SMALL, distributed=True, checkpoint=tmp_path / "state", verbose=1
    ).fit(*classes)
    alone = SpectralKernelClassifier(**SMALL).fit(*classes)
    np.testing.assert_array_equal(together.weights_, alone.weights_)
    assert not (tmp_path / "state").exists()
    together.partial_fit(*classes)
    np.testing.assert_array_equal(together.weights_, alone.partial_fit(*classes).weights_)


def test_an_error_of_the_first_process_is_raised_in_all(group_of_one, classes, tmp_path):
    (tmp_path / "state").write_text("no checkpoint")
    model = SpectralKernelClassifier(**SMALL, distributed=True, checkpoint=tmp_path / "state")
    with pytest.raises(CheckpointError, match="not a complete checkpoint"):
        model.fit(*classes)


def test_processes_with_other_rows_are_an_error(group_of_one, classes, monkeypatch):
    def first(self, compute):
        own = compute()
        return own if isinstance(own, int) else "the digest of other rows"

    monkeypatch.setattr("askl.learning.parallel.process_group.ProcessGroup.broadcast", first)
    with pytest.raises(DistributedError, match=r"must all have the same rows.*all rows"):
        SpectralKernelClassifier(**SMALL, distributed=True).fit(*classes)


def test_a_failing_connection_is_explained(group_of_one, classes, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("Connection closed by peer")

    monkeypatch.setattr("torch.distributed.all_gather", fail)
    with pytest.raises(DistributedError, match="Another process of the distributed fit has ended"):
        SpectralKernelClassifier(**SMALL, distributed=True).fit(*classes)


def test_without_processes_the_remedy_is_named(classes):
    with pytest.raises(DistributedError, match=r"RANK is not set.*torchrun --nproc-per-node=2"):
        SpectralKernelClassifier(distributed=True, random_state=0).fit(*classes)
