"""``askl predict`` on a file far larger than its memory, against prediction in memory.

Run as ``python -m benchmarks.predict_stream``. It compares processor seconds: both sides use one
thread, and seconds by the clock also count what other processes take. A file of one row shows what
it costs to start Python and torch; the rest is the command's cost of the rows. Prediction in memory
is timed before and after, so that a busy moment slows both sides.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from askl import SpectralKernelRegressor, save
from benchmarks.machine import describe_machine
from benchmarks.processes import children_seconds, peak_memory

N_COLUMNS = 10
N_COMPONENTS = 250
CHUNK_ROWS = 500_000
REPEATS = 3
MOST_MEGABYTES = 600.0
MOST_RATIO = 1.5
RESULT = Path(__file__).parent / "results" / "predict_stream.json"


def draw(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    return rng.standard_normal((n_rows, N_COLUMNS), dtype=np.float32)


def as_table(X: np.ndarray) -> pa.Table:
    return pa.table({f"x{column}": X[:, column] for column in range(X.shape[1])})


def write_rows(path: Path, n_rows: int, rng: np.random.Generator) -> None:
    with parquet.ParquetWriter(path, as_table(draw(rng, 1)).schema) as writer:
        for start in range(0, n_rows, CHUNK_ROWS):
            writer.write_table(as_table(draw(rng, min(CHUNK_ROWS, n_rows - start))))


def fit_model(path: Path, rng: np.random.Generator) -> SpectralKernelRegressor:
    X = draw(rng, 4000)
    model = SpectralKernelRegressor(
        n_components=N_COMPONENTS, max_epochs=3, random_state=0, n_threads=1
    )
    model.fit(as_table(X).to_pandas(), np.sin(X).sum(axis=1))
    save(model, path)
    return model


def seconds_in_memory(model: SpectralKernelRegressor, frame: Any, repeats: int) -> list[float]:
    """Time the prediction of rows that are in memory."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        model.predict(frame)
        seconds.append(time.process_time() - started)
    return seconds


def measure_stream(model: Path, data: Path, output: Path, n_rows: int) -> dict[str, Any]:
    """Run the command in a process, and measure what it used."""
    command = [sys.executable, "-m", "askl", "predict", *map(str, (model, data, "-o", output))]
    command.append("-q")
    before, started, peak = children_seconds(), time.perf_counter(), 0.0
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    while process.poll() is None:
        peak = max(peak, peak_memory(process.pid))
        time.sleep(0.05)
    if process.returncode:
        raise RuntimeError(f"askl predict ended in {process.returncode}.")
    wall = time.perf_counter() - started
    return {
        "n_rows": n_rows,
        "wall_seconds": wall,
        "processor_seconds": children_seconds() - before,
        "peak_megabytes": peak,
        "input_megabytes": data.stat().st_size / 2**20,
        "output_megabytes": output.stat().st_size / 2**20,
    }


def measure(n_rows: int, n_in_memory: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        names = ("model.askl", "rows.parquet", "one.parquet", "out.parquet")
        fitted, many, one, output = (Path(folder) / name for name in names)
        model = fit_model(fitted, rng)
        write_rows(many, n_rows, rng)
        write_rows(one, 1, rng)
        frame = as_table(draw(rng, n_in_memory)).to_pandas()
        seconds = seconds_in_memory(model, frame, REPEATS + 1)[1:]  # the first pays for memory
        start = measure_stream(fitted, one, output, 1)
        stream = measure_stream(fitted, many, output, n_rows)
        seconds += seconds_in_memory(model, frame, REPEATS)
        n_written = parquet.ParquetFile(output).metadata.num_rows
    per_row = statistics.median(seconds) / n_in_memory
    in_memory = {"n_rows": n_in_memory, "processor_seconds": seconds, "per_row": per_row}
    beyond = stream["processor_seconds"] - start["processor_seconds"]
    stream["per_row"] = beyond / n_rows
    ratio = stream["per_row"] / in_memory["per_row"]
    return {
        "machine": describe_machine(),
        "n_columns": N_COLUMNS,
        "n_components": N_COMPONENTS,
        "in_memory": in_memory,
        "start": start,
        "stream": stream,
        "ratio_with_start": stream["processor_seconds"] / n_rows / in_memory["per_row"],
        "n_written": n_written,
        "ratio_per_row": ratio,
        "limits": {"peak_megabytes": MOST_MEGABYTES, "ratio_per_row": MOST_RATIO},
        "passed": {
            "rows": n_written == n_rows,
            "peak_megabytes": stream["peak_megabytes"] < MOST_MEGABYTES,
            "ratio_per_row": ratio <= MOST_RATIO,
        },
    }


def main(options: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--in-memory", type=int, default=1_000_000)
    parser.add_argument("--result", type=Path, default=RESULT)
    arguments = parser.parse_args(options)
    result = measure(arguments.rows, arguments.in_memory)
    arguments.result.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    shown = ("in_memory", "start", "stream", "ratio_per_row", "ratio_with_start", "passed")
    print(json.dumps({key: result[key] for key in shown}, indent=2))


if __name__ == "__main__":
    main()
