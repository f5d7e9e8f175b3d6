"""Training from a folder of Parquet files against training in memory: speed, memory, accuracy.

The rows of the poker data set (``poker_partial.npz``), tiled to ten million, go to a temporary
folder. Speed: iterations a second of both loops, in turn, after the first record. Memory: the peak
of a process that does nothing but the streamed fit. Accuracy: both fits on the same real rows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning

from askl import SpectralKernelClassifier
from benchmarks.data import Array, load, protocol_split
from benchmarks.machine import describe_machine
from benchmarks.processes import measure_alone, peak_memory
from benchmarks.report import argument_parser, figure, make_table, output_folder, save, verdict
from studies.machine import load_average

MOST_MEMORY_MB = 1024.0
LEAST_SPEED = 0.8
RECORD_EVERY = 25


def write_folder(folder: Path, X: Array, y: Array, n_rows: int, n_files: int) -> None:
    """Tile rows to a folder of Parquet files, in row groups of at most 2**17 rows."""
    index = np.arange(n_rows) % len(y)
    for number, rows in enumerate(np.array_split(index, n_files)):
        columns = {f"x{i}": X[rows, i].astype(np.float32) for i in range(X.shape[1])}
        table = pa.table({**columns, "label": y[rows].astype(np.int8)})
        pa.parquet.write_table(table, folder / f"{number:03d}.parquet", row_group_size=2**17)


def stop_after(iterations: int, progress: Any, estimator: Any) -> None:
    if progress.iteration >= iterations:
        raise KeyboardInterrupt


def make_model(iterations: int, n_components: int) -> SpectralKernelClassifier:
    return SpectralKernelClassifier(
        n_components=n_components,
        batch_size=256,
        n_threads=1,
        record_every=RECORD_EVERY,
        callback=partial(stop_after, iterations),
        random_state=0,
    )


def speed_of(model: SpectralKernelClassifier) -> float:
    """Iterations a second from the first record of the history to the last."""
    first, last = model.history_[0], model.history_[-1]
    return (last.iteration - first.iteration) / (last.seconds - first.seconds)


def measure_speed(folder: Path, X: Array, y: Array, sizes: argparse.Namespace) -> dict[str, Any]:
    speeds: dict[str, list[float]] = {"in_memory": [], "streamed": []}
    for _ in range(sizes.repeats):
        model = make_model(sizes.iterations, sizes.components)
        speeds["in_memory"].append(speed_of(model.fit(X, y)))
        model = make_model(sizes.iterations, sizes.components)
        speeds["streamed"].append(speed_of(model.fit_stream(folder, "label")))
    ratio = statistics.median(speeds["streamed"]) / statistics.median(speeds["in_memory"])
    return {
        "iterations_per_second": speeds,
        "streamed_over_in_memory": ratio,
        "passed": ratio >= LEAST_SPEED,
    }


def measure_memory(folder: Path, sizes: argparse.Namespace) -> dict[str, Any]:
    """Run the streamed fit in a process of its own."""
    options = [f"--iterations={sizes.iterations}", f"--components={sizes.components}"]
    measured = measure_alone("benchmarks.streaming", "--only-fit", folder, *options)
    return {**measured, "passed": measured["peak_mb"] < MOST_MEMORY_MB}


def fit_only(folder: Path, sizes: argparse.Namespace) -> dict[str, float]:
    baseline, started = peak_memory(), time.perf_counter()
    model = make_model(sizes.iterations, sizes.components).fit_stream(folder, "label")
    return {
        "peak_mb": peak_memory(),
        "imports_mb": baseline,
        "seconds": time.perf_counter() - started,
        "iterations": model.history_[-1].iteration,
    }


def compare_accuracy(folder: Path, name: str, sizes: argparse.Namespace) -> dict[str, Any]:
    """Fit both ways with three seeds, on the training rows of split 0."""
    split = protocol_split(name)
    write_folder(folder, split.X_train, split.y_train, len(split.y_train), n_files=4)
    scores: dict[str, list[float]] = {"in_memory": [], "streamed": []}
    X_test = {f"x{i}": split.X_test[:, i] for i in range(split.X_test.shape[1])}
    for seed in range(3):
        settings = {"max_epochs": sizes.epochs, "n_threads": 1, "random_state": seed}
        model = SpectralKernelClassifier(n_components=sizes.components, **settings)
        scores["in_memory"].append(
            split.score(model.fit(split.X_train, split.y_train).predict(split.X_test))
        )
        model = SpectralKernelClassifier(n_components=sizes.components, **settings)
        predicted = model.fit_stream(folder, "label").predict(_as_frame(X_test))
        scores["streamed"].append(split.score(predicted))
    means = {key: statistics.fmean(values) for key, values in scores.items()}
    error = np.sqrt(sum(statistics.variance(values) for values in scores.values()) / 3.0)
    difference = means["streamed"] - means["in_memory"]
    return {
        "data": name,
        "accuracy_percent": scores,
        "difference": difference,
        "standard_error": float(error),
        "passed": bool(abs(difference) <= 2.0 * error),
    }


def _as_frame(columns: dict[str, Array]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rows-in-memory", type=int, default=10**6)
    parser.add_argument("--iterations", type=int, default=600)
    parser.add_argument("--components", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--only-fit", type=Path, help=argparse.SUPPRESS)
    sizes = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)  # the runs are interrupted on purpose
    if sizes.only_fit is not None:
        print(json.dumps(fit_only(sizes.only_fit, sizes)))
        return
    if sizes.quick:
        sizes.rows, sizes.rows_in_memory, sizes.iterations = 3000, 3000, 100
        sizes.components, sizes.repeats, sizes.epochs = 20, 1, 2
    machine = describe_machine()
    X, y = load("poker_partial")
    with tempfile.TemporaryDirectory() as place:
        many, real = Path(place) / "many", Path(place) / "real"
        many.mkdir()
        real.mkdir()
        write_folder(many, X, y, sizes.rows, n_files=10)
        index = np.arange(sizes.rows_in_memory) % len(y)
        results: dict[str, Any] = {
            "memory": measure_memory(many, sizes),
            "speed": measure_speed(many, X[index], y[index], sizes),
            "accuracy": compare_accuracy(real, "poker", sizes),
        }
    machine["load_at_end"] = load_average()
    show(results)
    settings = {name: getattr(sizes, name) for name in SETTINGS}
    save(
        output_folder(sizes),
        "streaming",
        {"quick": sizes.quick, "machine": machine, "settings": settings, **results},
    )


SETTINGS = ("rows", "rows_in_memory", "iterations", "components", "repeats", "epochs")


def show(results: dict[str, Any]) -> None:
    table = make_table("Streaming", ["measure", "figure", "limit"])
    memory, speed, accuracy = (results[name] for name in ("memory", "speed", "accuracy"))
    table.add_row(
        "peak memory, MB",
        figure(memory["peak_mb"], 0),
        verdict(memory["passed"], f"< {MOST_MEMORY_MB:.0f}"),
    )
    table.add_row(
        "speed, of in-memory",
        figure(speed["streamed_over_in_memory"]),
        verdict(speed["passed"], f">= {LEAST_SPEED}"),
    )
    table.add_row(
        "accuracy, difference",
        figure(accuracy["difference"]),
        verdict(accuracy["passed"], f"+- {2.0 * accuracy['standard_error']:.2f}"),
    )
    Console().print(table)


if __name__ == "__main__":
    main()
