"""Real processes are killed while they train. The next one resumes, and ends with the same bits."""

from __future__ import annotations

import multiprocessing
import signal
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from askl.persistence.checkpoint import read_checkpoint
from tests.persistence.killed_fit import run_fit

# A server that has already imported torch starts each process in a few milliseconds.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.persistence.killed_fit"])


def start(folder: Path, task: str, iterations: int, announce: int | None = None):
    process = CONTEXT.Process(target=run_fit, args=(folder, task, iterations, announce))
    process.start()
    return process


def finish(folder: Path, task: str, iterations: int) -> dict[str, np.ndarray]:
    """Run the fit without killing it, and return its result."""
    process = start(folder, task, iterations)
    process.join()
    assert process.exitcode == 0
    with np.load(folder / "result") as arrays:
        return dict(arrays)


class Kills(NamedTuple):
    n_kills: int
    in_a_write: int
    finished: int


def kill_often(
    folder: Path, task: str, iterations: int, expected, n_kills: int, longest: float
) -> Kills:
    """Kill processes at random moments. Compare the results of those that end before."""
    rng = np.random.default_rng(1)
    kills = in_a_write = finished = 0
    while kills < n_kills:
        process = start(folder, task, iterations)
        process.join(rng.uniform(0.0, longest))
        process.kill()
        process.join()
        read_checkpoint(folder / "state")  # complete, or missing
        if process.exitcode == -signal.SIGKILL:
            kills += 1
            in_a_write += any(folder.glob(".askl-tmp-*"))
        else:
            assert process.exitcode == 0
            assert_same(finish_of(folder), expected)
            finished += 1
    assert_same(finish(folder, task, iterations), expected)
    assert not (folder / "state").exists()
    return Kills(kills, in_a_write, finished)


def finish_of(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "result") as arrays:
        result = dict(arrays)
    (folder / "result").unlink()
    return result


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name, array in expected.items():
        assert array.tobytes() == found[name].tobytes(), name


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The result of a fit that is not killed, for a task and a number of iterations."""
    results = {}

    def result(task: str, iterations: int) -> dict[str, np.ndarray]:
        if (task, iterations) not in results:
            folder = tmp_path_factory.mktemp("undisturbed")
            results[task, iterations] = finish(folder, task, iterations)
        return results[task, iterations]

    return result


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_a_few_kills(task, undisturbed, tmp_path):
    expected = undisturbed(task, 300)
    assert kill_often(tmp_path, task, 300, expected, n_kills=4, longest=0.8).n_kills == 4


@pytest.mark.slow
def test_two_hundred_kills(undisturbed, tmp_path):
    expected = undisturbed("classes", 2000)
    kills = kill_often(tmp_path, "classes", 2000, expected, n_kills=200, longest=0.8)
    print(kills)  # shown with -s
    assert kills.in_a_write > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_leave_the_checkpoint_of_that_moment(number, undisturbed, tmp_path):
    expected = undisturbed("classes", 300)
    process = start(tmp_path, "classes", 300, announce=40)
    while not (tmp_path / "there").exists():
        time.sleep(0.005)
    process._popen._send_signal(number)
    process.join()
    if number == signal.SIGTERM:
        assert process.exitcode == -signal.SIGTERM
        assert not (tmp_path / "result").exists()
    else:  # the model trained so far is kept, and the program goes on
        assert process.exitcode == 0
        assert finish_of(tmp_path)["history"].shape[0] < len(expected["history"])
    header, _ = read_checkpoint(tmp_path / "state")
    assert 40 <= header["numbers"]["iterations"] < 300
    assert_same(finish(tmp_path, "classes", 300), expected)
