"""Programs that run in a process of their own, and what a process has used.

A process of its own can be stopped, has a peak of memory of its own, and loads no library but
those it measures.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.data import data_folder

ROOT = Path(__file__).parents[1]
Result = TypeVar("Result")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def measure_alone(module: str, *arguments: object) -> dict[str, Any]:
    """Run a program that prints JSON in a process of its own, and return what it printed."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return _last_line(ended.stdout)


def fit_alone(
    module: str,
    *arguments: object,
    threads: int = 1,
    time_limit: float | None = None,
    python: str = sys.executable,
) -> dict[str, Any]:
    """Run a program that fits, and return its status with what it printed or why it failed."""
    command = [python, "-m", module, *map(str, arguments)]
    # The folder of data may be relative to where this program was called.
    environment = {
        **os.environ,
        **dict.fromkeys(THREAD_VARIABLES, str(threads)),
        "ASKL_DATA": str(data_folder().resolve()),
    }
    try:
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=time_limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"status": "timeout"}
    if ended.returncode:
        # The last line names the exception; those before it are about files of this machine. A
        # negative code is the signal that ended the process: -9 where memory ran out.
        last = [line for line in ended.stderr.splitlines() if line.strip()][-1:]
        return {"status": "failed", "error": " ".join([f"exit code {ended.returncode}", *last])}
    return {"status": "done", **_last_line(ended.stdout)}


def _last_line(output: str) -> dict[str, Any]:
    measured: dict[str, Any] = json.loads(output.splitlines()[-1])
    return measured


def peak_memory(process: int | str = "self") -> float:
    """Return the most memory that a process has held so far, in megabytes of 2**20 bytes.

    Linux's own figure is preferred: that of ``getrusage`` begins with the parent's memory.
    """
    status = Path(f"/proc/{process}/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        # A process that has just ended holds no memory.
        return float(lines.get("VmHWM", "0 kB").split()[0]) / 2**10
    if process != "self":
        raise OSError("This system does not tell how much memory another process has held.")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def timed(run: Callable[[], Result]) -> tuple[Result, float, float]:
    """Return a result, and the seconds that it took by the clock and of processors."""
    wall, processor = time.perf_counter(), processor_seconds()
    result = run()
    return result, time.perf_counter() - wall, processor_seconds() - processor


def processor_seconds() -> float:
    """Return the seconds of processors that this process and its ended children have used."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + children_seconds()


def children_seconds() -> float:
    """Return the seconds of processors that the ended children of this process have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
