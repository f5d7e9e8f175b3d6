"""Time of a training step and of prediction, against the floor that the hardware sets.

floor: the unavoidable kernels on memory allocated beforehand. reference: a step as the script
released with the paper takes it. ours: the library's training loop over an epoch, the drawing
of batches included. Repeats are interleaved, and medians are shown.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from typing import Any

import torch
from rich.console import Console

from benchmarks.machine import describe_machine
from benchmarks.prediction_speed import MOST_FLOORS, measure_prediction
from benchmarks.problems import Shape
from benchmarks.report import (
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
    verdict,
)
from benchmarks.training_speed import LIMITS, measure_training

QUICK_SHAPES = (Shape(16, 100, 5, 32), Shape(8, 50, 1, 64))
CSV_HEADER = "shape,threads,floor_ms,reference_ms,ours_ms"

Records = list[dict[str, Any]]


def shape_name(record: dict[str, Any]) -> str:
    return "x".join(map(str, record["shape"].values()))


def print_csv(records: Records) -> None:
    print(CSV_HEADER)
    for record in records:
        times = (f"{record[name]:.4f}" for name in CSV_HEADER.split(",")[2:])
        print(shape_name(record), record["threads"], *times, sep=",")


def print_training(records: Records) -> None:
    columns = ("shape", "threads", "floor", "reference", "ours", "ours / floor", "reference / ours")
    table = make_table("Milliseconds of a training step (d x D x K x batch)", columns)
    for record in records:
        floors = verdict(record["floors_passed"], f" <= {record['most_floors']}")
        saving = verdict(record["saving_passed"], f" >= {record['least_saving']}")
        table.add_row(
            shape_name(record),
            str(record["threads"]),
            *(figure(record[name]) for name in CSV_HEADER.split(",")[2:]),
            figure(record["ours_over_floor"]) + floors,
            figure(record["reference_over_ours"]) + saving,
        )
    Console().print(table)


def print_prediction(records: Records) -> None:
    limit = f"time / floor <= {MOST_FLOORS}"
    columns = ("shape", "threads", "floor", "compute outputs", limit, "predict", limit)
    table = make_table("Thousand rows predicted in a second (d x D x K)", columns)
    for record in records:
        rates = {name: figure(rate / 1e3, 1) for name, rate in record["rows_per_second"].items()}
        cells = [shape_name(record), str(record["threads"]), rates["floor"]]
        for name, floors in record["over_floor"].items():
            cells += [rates[name], figure(floors) + verdict(record["passed"][name])]
        table.add_row(*cells)
    Console().print(table)


def measure(
    shapes: Sequence[Shape], threads: Sequence[int], *, seconds: float, repeats: int
) -> dict[str, Records]:
    """Measure training for all shapes, and prediction for all that differ beside the batch."""
    unbatched = dict.fromkeys(shape._replace(batch_size=0) for shape in shapes)
    before = torch.get_num_threads()
    training = [
        measure_training(shape, count, seconds=seconds, repeats=repeats)
        for shape, count in show_progress(list(product(shapes, threads)), "Training")
    ]
    prediction = [
        measure_prediction(shape, count, seconds=seconds, repeats=repeats)
        for shape, count in show_progress(list(product(unbatched, threads)), "Prediction")
    ]
    torch.set_num_threads(before)
    return {"training": training, "prediction": prediction}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--format", choices=("table", "csv"), default="table")
    parser.add_argument("--repeats", type=int, default=7, help="(%(default)s)")
    parser.add_argument(
        "--threads", type=int, nargs="+", help="one and all by default, one with --quick"
    )
    options = parser.parse_args(arguments)
    machine = describe_machine()
    if options.quick:
        results = measure(QUICK_SHAPES, options.threads or [1], seconds=0.01, repeats=2)
    else:
        threads = options.threads or sorted({1, os.cpu_count() or 1})
        results = measure(tuple(LIMITS), threads, seconds=0.5, repeats=options.repeats)
    if options.format == "csv":
        print_csv(results["training"])
    else:
        print_training(results["training"])
        print_prediction(results["prediction"])
    save(output_folder(options), "speed", {"machine": machine, "quick": options.quick, **results})


if __name__ == "__main__":
    main()
