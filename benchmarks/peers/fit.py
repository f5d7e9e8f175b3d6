"""Fit one peer to one split in this process, and print what was measured as JSON.

The clock runs from the call of ``fit``: reading the data and importing the library are not counted.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import signal
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.data import Array, Split, protocol_split
from benchmarks.peers.models import PEERS, Task
from benchmarks.processes import peak_memory, timed

# The smallest probability in a log loss: the same for all, in 32 bits or 64.
LEAST_PROBABILITY = float(np.finfo(np.float32).eps)

GRACE_SECONDS = 10


def log_loss(probabilities: Array, split: Split) -> float:
    """Return the mean of minus the natural logarithm of the true class's probability."""
    classes = np.unique(split.y_train)
    columns = np.searchsorted(classes, split.y_test).clip(max=len(classes) - 1)
    chosen = np.asarray(probabilities, dtype=float)[np.arange(len(columns)), columns]
    chosen[classes[columns] != split.y_test] = 0.0  # a class that was not among the training rows
    return float(-np.log(chosen.clip(LEAST_PROBABILITY, 1.0)).mean())


def measure(model: Any, split: Split) -> dict[str, float | str | None]:
    """Fit and predict; the time for probabilities is not counted."""
    _, seconds, processor_seconds = timed(lambda: model.fit(split.X_train, split.y_train))
    predictions, predict_seconds, _ = timed(lambda: model.predict(split.X_test))
    score = split.score(np.ravel(predictions))
    if not np.isfinite(score):
        raise FloatingPointError("The predictions are not finite.")
    has_probabilities = not split.regression and hasattr(model, "predict_proba")
    return {
        "measure": "rmse" if split.regression else "accuracy",
        "score": score,
        "log_loss": log_loss(model.predict_proba(split.X_test), split)
        if has_probabilities
        else None,
        "fit_seconds": seconds,
        "fit_cpu_seconds": processor_seconds,
        "predict_seconds": predict_seconds,
        "peak_memory_mb": peak_memory(),
    }


def limit_memory(gigabytes: float) -> None:
    """Let allocations above a limit fail, before the system ends other processes to make room."""
    n_bytes = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, n_bytes))


def limit_time(seconds: float) -> None:
    """End this process soon after its parent should have ended it, in case the parent is dead."""
    signal.alarm(math.ceil(seconds) + GRACE_SECONDS)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("model", choices=tuple(PEERS))
    parser.add_argument("split", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--memory-limit", type=float)
    options = parser.parse_args(arguments)
    if options.time_limit:
        limit_time(options.time_limit)
    if options.memory_limit:
        limit_memory(options.memory_limit)
    split = protocol_split(options.dataset, options.split)
    task = Task(split.regression, options.threads, seed=options.split)
    measured = measure(PEERS[options.model].make(task), split)
    print(json.dumps(measured), flush=True)


if __name__ == "__main__":
    main()
