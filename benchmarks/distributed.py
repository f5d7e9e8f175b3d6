"""Throughput of one fit that processes share: two of one thread each against one.

Every count of processes is started by torchrun on this machine, in turn, several times. One
process trains by itself, without any communication. If other programs run as well, the iterations
per second of two processes are not comparable. Then use the processor time that each process needs
for an iteration: it limits what two of them can gain.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.machine import describe_machine
from benchmarks.problems import Shape
from benchmarks.report import argument_parser, figure, make_table, output_folder, save
from studies.machine import load_average

ROOT = Path(__file__).parents[1]
# The second has four times the arithmetic for the same gradient to send.
SHAPES: tuple[Shape, ...] = (Shape(784, 2000, 10, 256), Shape(784, 2000, 10, 1024))
QUICK_SHAPES: tuple[Shape, ...] = (Shape(8, 20, 3, 32),)
COUNTS = (1, 2)


def train_here(shape: Shape, iterations: int, result: Path) -> None:
    """Train in this process as one of several, and let the first one write how fast it was."""
    from askl import SpectralKernelClassifier

    # A core of its own for each process, as for the single one: otherwise the system would run a
    # process that has received data on the core of the sender, which is busy.
    os.sched_setaffinity(0, {int(os.environ["LOCAL_RANK"])})
    processor: list[float] = []
    rng = np.random.default_rng(0)
    n_rows = shape.batch_size * iterations
    X = rng.standard_normal((n_rows, shape.n_features), dtype=np.float32)
    model = SpectralKernelClassifier(
        n_components=shape.n_components,
        batch_size=shape.batch_size,
        max_epochs=2,  # of which the first warms up
        scale_inputs="none",
        n_threads=1,
        distributed=os.environ["WORLD_SIZE"] != "1",
        callback=lambda progress, estimator: processor.append(time.process_time()),
        random_state=0,
    ).fit(X, np.arange(n_rows) % shape.n_outputs)
    first, last = model.history_[0], model.history_[-1]
    taken = last.iteration - first.iteration
    measured = {
        "iterations_per_second": taken / (last.seconds - first.seconds),
        "processor_ms": 1e3 * (processor[-1] - processor[0]) / taken,
        "loss": last.loss,
    }
    if os.environ["RANK"] == "0":
        result.write_text(json.dumps(measured))


def run_together(n_processes: int, shape: Shape, iterations: int) -> dict[str, float]:
    """Start processes with torchrun, and return what the first one measured."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "torch.distributed.run", "--master-addr=127.0.0.1"]
        command += [f"--master-port={port}", f"--nproc-per-node={n_processes}"]
        command += ["-m", "benchmarks.distributed", f"--worker={result}"]
        command += [f"--iterations={iterations}", "--shape", *map(str, shape)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stderr=subprocess.DEVNULL)
        measured: dict[str, float] = json.loads(result.read_text())
    return measured


def measure(shape: Shape, iterations: int, repeats: int) -> dict[str, Any]:
    runs: dict[int, list[dict[str, float]]] = {count: [] for count in COUNTS}
    for _ in range(repeats):
        for count in COUNTS:
            runs[count].append(run_together(count, shape, iterations))
    figures = {
        name: {str(count): [run[name] for run in found] for count, found in runs.items()}
        for name in ("iterations_per_second", "processor_ms", "loss")
    }
    speeds, processor = figures["iterations_per_second"], figures["processor_ms"]
    return {
        "shape": shape._asdict(),
        **figures,
        "two_over_one": ratio(speeds["2"], speeds["1"]),
        "most_two_over_one": ratio(processor["1"], processor["2"]),
    }


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> float:
    """Return the median ratio of runs that followed each other directly."""
    pairs = zip(numerators, denominators, strict=True)
    return statistics.median(numerator / denominator for numerator, denominator in pairs)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--shape", type=int, nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker is not None:
        train_here(Shape(*options.shape), options.iterations, options.worker)
        return
    shapes = SHAPES
    if options.quick:
        shapes, options.iterations, options.repeats = QUICK_SHAPES, 20, 1
    machine = describe_machine()
    # As many rows for every shape: larger batches make fewer iterations.
    rows = options.iterations * shapes[0].batch_size
    records = [measure(shape, rows // shape.batch_size, options.repeats) for shape in shapes]
    machine["load_at_end"] = load_average()
    show(records)
    save(
        output_folder(options),
        "distributed",
        {"quick": options.quick, "machine": machine, "records": records},
    )


def show(records: Sequence[dict[str, Any]]) -> None:
    table = make_table(
        "One fit, shared by processes",
        ["batch", "processes", "iterations a second", "processor ms each"],
    )
    for record in records:
        batch = str(record["shape"]["batch_size"])
        for count in map(str, COUNTS):
            medians = [
                statistics.median(record[name][count])
                for name in ("iterations_per_second", "processor_ms")
            ]
            table.add_row(batch, count, *map(figure, medians))
        ratios = (record[name] for name in ("two_over_one", "most_two_over_one"))
        table.add_row(batch, "2 over 1", *map(figure, ratios))
    Console().print(table)


if __name__ == "__main__":
    main()
