"""How long things take on a machine that also runs other programs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

Run = Callable[[], object]
Clock = Callable[[], float]


def interleaved_seconds(
    runs: dict[str, Run], repeats: int, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Time all runs in turn, again and again, so that a busy moment slows all of them.

    A first round is not counted, because it also allocates memory.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats + 1):
        for name, run in runs.items():
            started = clock()
            run()
            seconds[name].append(clock() - started)
    return {name: values[1:] for name, values in seconds.items()}


def medians(samples: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in samples.items()}


def times_within(
    run: Run, seconds: float, *, least: int, most: int, clock: Clock = time.perf_counter
) -> int:
    """Return how often something can be run in some seconds, between two limits."""
    run()
    started = clock()
    run()
    return min(most, max(least, round(seconds / (clock() - started))))
