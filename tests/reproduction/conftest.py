"""Small studies on data that comes with scikit-learn."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from reproduction import datasets
from reproduction.folders import Folders
from reproduction.protocol import METHODS, Trial, plan
from reproduction.run import run_all
from reproduction.tune import Cell, tune_all
from reproduction.workers import Workers

ROOT = Path(__file__).parents[2]
NAMES = ("digits", "diabetes")


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Hide the data and the cache of the user."""
    monkeypatch.delenv("ASKL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    datasets.load.cache_clear()
    yield
    datasets.load.cache_clear()


@pytest.fixture(scope="session")
def trials() -> list[Trial]:
    """Two small data sets, five methods, two splits."""
    return plan("smoke", NAMES, METHODS, range(2))


@pytest.fixture(scope="session")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """A results folder with tuned hyperparameters only."""
    folders = Folders(tmp_path_factory.mktemp("tuned"))
    cells = [Cell("smoke", name, method) for name in NAMES for method in METHODS]
    assert tune_all(cells, folders, None, Workers()) == len(cells)
    return folders


@pytest.fixture(scope="session")
def study(tuned: Folders, trials: list[Trial], tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """A results folder with all records, from a run that nothing disturbed."""
    folders = Folders(tmp_path_factory.mktemp("study"))
    shutil.copytree(tuned.results, folders.results, dirs_exist_ok=True)
    assert run_all(trials, folders, None, Workers()) == len(trials)
    return folders


@pytest.fixture
def folders(tuned: Folders, tmp_path: Path) -> Folders:
    """A results folder of one test, with tuned hyperparameters only."""
    shutil.copytree(tuned.results, tmp_path / "results")
    return Folders(tmp_path / "results")


@pytest.fixture
def figures() -> dict[str, list[float]]:
    """Thirty splits that share their difficulty, so that pairing matters."""
    generator = np.random.default_rng(0)
    difficulty = generator.normal(0.0, 2.0, 30)
    shifts = {"sk": -5.0, "nsk": -0.4, "skl": -0.02, "nskl": -0.15, "askl": 0.0}
    return {
        method: (95.0 + shift + difficulty + generator.normal(0.0, 0.3, 30)).tolist()
        for method, shift in shifts.items()
    }


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start ``python -m reproduction`` from the checkout, in a group of its own."""
    processes = []

    def start_process(*arguments: str | Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "reproduction", *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start_process
    for process in processes:
        process.kill()
        process.communicate()
