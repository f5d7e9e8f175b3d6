"""Accuracy of the default estimators, nothing tuned, on the first split of the paper's protocol.

Regression errors are in [0, 100] units. The data sets are read from the folder that the
environment variable ASKL_DATA names.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from benchmarks.data import Array, Split, protocol_split
from benchmarks.machine import describe_machine
from benchmarks.report import (
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
    verdict,
)

# The lowest accuracy (%) or the largest RMSE that passes.
TARGETS = {
    "letter": 97.0,
    "pendigits": 99.4,
    "segment": 97.0,
    "satimage": 90.5,
    "usps": 97.3,
    "space_ga": 3.15,
    "abalone": 7.95,
    "cpusmall": 3.0,
}
OTHERS = ("cadata", "shuttle", "poker", "mnist")
QUICK: dict[str, Any] = {"n_components": 50, "max_epochs": 2}


class Record(NamedTuple):
    """One fit: its test score and cost, and the size of its head."""

    data: str
    measure: str
    score: float
    target: float | None
    passed: bool | None
    seconds: float
    trace_norm: float
    rank: int


def default_estimator(split: Split, **parameters: Any) -> Any:
    kind = SpectralKernelRegressor if split.regression else SpectralKernelClassifier
    return kind(**{"random_state": 0, **parameters})


def warm_up() -> None:
    """Fit to a few rows: the first fit of a process also loads code."""
    rows = np.arange(32.0).reshape(-1, 1)
    SpectralKernelClassifier(**QUICK).fit(rows, rows[:, 0] > 16.0)


def trace_norm_and_rank(weights: Array) -> tuple[float, int]:
    """Return ‖W‖_* and the numerical rank of W, at the default tolerance of numpy."""
    return float(np.linalg.norm(weights, "nuc")), int(np.linalg.matrix_rank(weights))


def measure(name: str, parameters: dict[str, Any]) -> Record:
    split = protocol_split(name)
    started = time.perf_counter()
    model = default_estimator(split, **parameters).fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - started
    score, target = split.score(model.predict(split.X_test)), TARGETS.get(name)
    passed = None if target is None else score <= target if split.regression else score >= target
    trace_norm, rank = trace_norm_and_rank(model.weights_)
    return Record(
        data=name,
        measure="rmse" if split.regression else "accuracy",
        score=score,
        target=target,
        passed=passed,
        seconds=seconds,
        trace_norm=trace_norm,
        rank=rank,
    )


def print_table(records: Sequence[Record]) -> None:
    columns = ("data", "measure", "score", "target", "", "seconds", "‖W‖_*", "rank W")
    table = make_table("Defaults, split 0", columns)
    for record in records:
        table.add_row(
            record.data,
            record.measure,
            figure(record.score),
            figure(record.target),
            verdict(record.passed),
            figure(record.seconds, 1),
            figure(record.trace_norm, 1),
            str(record.rank),
        )
    Console().print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "data", nargs="*", metavar="data", help=f"any of {', '.join((*TARGETS, *OTHERS))}"
    )
    options = parser.parse_args(arguments)
    names = options.data or (["segment", "space_ga"] if options.quick else list(TARGETS))
    results: dict[str, object] = {"machine": describe_machine(), "quick": options.quick}
    parameters = QUICK if options.quick else {}
    warm_up()
    records = [measure(name, parameters) for name in show_progress(names, "Fitting")]
    print_table(records)
    results["records"] = [record._asdict() for record in records]
    save(output_folder(options), "defaults", results)


if __name__ == "__main__":
    main()
