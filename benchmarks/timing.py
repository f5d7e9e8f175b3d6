"""How long things take on a machine that is never quite idle."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

Run = Callable[[], object]


def interleaved_seconds(runs: dict[str, Run], repeats: int) -> dict[str, list[float]]:
    """Time all runs in turn, again and again, so that a busy moment hits them alike.

    A first round is not counted, as it pays for fresh memory.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started)
    return {name: values[1:] for name, values in seconds.items()}


def medians(samples: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in samples.items()}


def times_within(run: Run, seconds: float, *, least: int, most: int) -> int:
    """Say how often something can be run in some seconds, between two limits."""
    run()
    started = time.perf_counter()
    run()
    return min(most, max(least, round(seconds / (time.perf_counter() - started))))
