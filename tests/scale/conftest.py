"""A real Dask cluster on this machine, and processes that can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
PATIENCE = 120.0  # seconds; machines that run tests are busy


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Wait until a condition holds, and return what it returned."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE:.0f} s"
        time.sleep(0.02)
    return found


class Processes:
    """Processes of ``python -m``, none of which outlives its test."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[str]] = []

    def start(self, module: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=ROOT,
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.communicate()


def output_of(process: subprocess.Popen[str]) -> str:
    """Wait for a process that must succeed, and return what it printed."""
    printed, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    return printed


@pytest.fixture
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.end()


class Cluster:
    """A scheduler and its workers, one of which can be killed in the middle of its work."""

    def __init__(self, address: str, n_workers: int) -> None:
        self.address = address
        self.client = pytest.importorskip("distributed").Client(address, set_as_default=False)
        self.client.wait_for_workers(n_workers, timeout=PATIENCE)
        self.identifiers = self.client.run(os.getpid)

    def kill_a_busy_worker(self) -> None:
        """Kill a worker without warning while it has a task."""

        def busy() -> str | None:
            return next((worker for worker, keys in self.client.processing().items() if keys), None)

        self.kill(wait_for(busy, "a worker with a task"))

    def kill(self, worker: str) -> None:
        """Kill the worker of an address without warning."""
        os.kill(self.identifiers.pop(worker), signal.SIGKILL)


@pytest.fixture
def cluster(processes: Processes, tmp_path: Path) -> Iterator[Cluster]:
    """Two workers of one thread each, in processes of their own that are not restarted."""
    pytest.importorskip("distributed", reason="needs the dask extra: pip install 'askl[dask]'")
    file = tmp_path / "scheduler.json"
    quiet = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", file)
    local = ("--host", "127.0.0.1")
    scheduler = ("--port", "0", *local, *quiet)
    processes.start("distributed.cli.dask_scheduler", *scheduler)
    for number in range(2):
        folder = ("--local-directory", tmp_path / f"worker-{number}")
        worker = ("--nthreads", 1, "--no-nanny", *local, *quiet, *folder)
        processes.start("distributed.cli.dask_worker", *worker)
    wait_for(lambda: file.exists() and file.stat().st_size, "the scheduler's file")
    made = Cluster(json.loads(file.read_text(encoding="utf-8"))["address"], 2)
    yield made
    made.client.close()


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three named classes told by two numbers."""
    rng = np.random.default_rng(0)
    lines = ["a,b,y"]
    for position in range(240):
        center = position % 3
        a, b = rng.normal(center, 0.5, size=2)
        lines.append(f"{a:.4f},{b:.4f},{('red', 'green', 'blue')[center]}")
    path = tmp_path_factory.mktemp("table") / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
