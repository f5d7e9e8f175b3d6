"""Programs in processes of their own: what comes back, and what they used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.processes import (
    children_seconds,
    fit_alone,
    measure_alone,
    peak_memory,
    processor_seconds,
    timed,
)

FIT = "benchmarks.peers.fit"


def test_a_program_returns_what_it_prints() -> None:
    options = ["--rows=200", "--components=20", "--repeats=1", "--epochs", 1]
    assert measure_alone("benchmarks.one_fit", *options)["seconds"] > 0.0
    with pytest.raises(subprocess.CalledProcessError):
        measure_alone("benchmarks.one_fit", "--no-such-option")


def test_a_fit_returns_its_status(data_folder: Path) -> None:
    done = fit_alone(FIT, "segment", "svm", 0)
    assert (done["status"], done["measure"]) == ("done", "accuracy")
    failed = fit_alone(FIT, "no-such-set", "svm", 0)
    assert failed["status"] == "failed"
    assert failed["error"].startswith("exit code 1 FileNotFoundError")
    assert fit_alone(FIT, "segment", "svm", 0, time_limit=0.01) == {"status": "timeout"}


def test_the_peak_of_memory_grows_with_what_is_held() -> None:
    code = (
        "import numpy; from benchmarks.processes import peak_memory; before = peak_memory();"
        "numpy.ones(2**23); print(peak_memory() - before)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 60.0 < float(shown.stdout) < 80.0
    assert peak_memory() > 10.0


def test_seconds_of_the_processor_include_those_of_children() -> None:
    before, children = processor_seconds(), children_seconds()
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    assert children_seconds() > children
    assert processor_seconds() - before >= children_seconds() - children


def test_a_call_is_timed_by_two_clocks() -> None:
    result, wall, processor = timed(lambda: np.ones(3).sum())
    assert result == 3.0
    assert wall >= 0.0
    assert processor >= 0.0
