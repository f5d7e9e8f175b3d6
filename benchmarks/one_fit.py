"""Fit one model to random rows in this process, and print its time and peak memory as JSON.

The peak of a process never decreases, which is why each fit has one of its own. Memory is counted
from after the imports, in megabytes of 2**20 bytes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from benchmarks.processes import peak_memory

MEGABYTE = 2**20
TASKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "classification": (SpectralKernelClassifier, {}),
    "regression": (SpectralKernelRegressor, {"refit_head": False}),
    "exact head": (SpectralKernelRegressor, {"refit_head": True}),
}


def draw_rows(options: argparse.Namespace, n_rows: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n_rows, options.features), dtype=np.float32)
    if options.task == "classification":
        # Counting up puts every class among any few rows.
        return X, np.arange(n_rows) % options.outputs
    return X, generator.standard_normal((n_rows, options.outputs), dtype=np.float32)


def make_model(options: argparse.Namespace) -> Any:
    kind, parameters = TASKS[options.task]
    return kind(
        n_components=options.components,
        max_epochs=options.epochs,
        batch_size=256,
        n_threads=options.threads,
        random_state=0,
        **parameters,
    )


def measure(options: argparse.Namespace) -> dict[str, float]:
    """Fit, or predict with a model fitted to few rows: median time of several, peak of one."""
    baseline = peak_memory()
    model = make_model(options).fit(*draw_rows(options, 512))  # the first fit warms up
    X, y = draw_rows(options, options.rows)
    data = (X.nbytes + y.nbytes) / MEGABYTE
    seconds: list[float] = []
    peaks: list[float] = []
    for _ in range(options.repeats):
        started = time.perf_counter()
        model.predict(X) if options.predict else make_model(options).fit(X, y)
        seconds.append(time.perf_counter() - started)
        peaks.append(peak_memory() - baseline - data)
    return {"seconds": statistics.median(seconds), "data_mb": data, "over_data_mb": peaks[0]}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=tuple(TASKS), default="classification")
    parser.add_argument("--predict", action="store_true", help="measure predict, not fit")
    for name, default in (
        ("rows", 10_000),
        ("features", 10),
        ("components", 1000),
        ("outputs", 10),
        ("epochs", 1),
        ("threads", 1),
        ("repeats", 3),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, help="(%(default)s)")
    print(json.dumps(measure(parser.parse_args(arguments))))


if __name__ == "__main__":
    main()
