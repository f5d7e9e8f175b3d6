"""Fit one learner to one fold in this process, and print what was measured as JSON."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence

from benchmarks.processes import processor_seconds
from benchmarks.tables.data import TABLES, load_fold, split_again
from benchmarks.tables.learners import LEARNERS
from studies.machine import describe_machine, load_average

PACKAGES = (
    *("askl", "torch", "numpy", "scikit-learn"),
    *("catboost", "lightgbm", "autogluon.tabular"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=tuple(TABLES))
    parser.add_argument("learner", choices=tuple(LEARNERS))
    parser.add_argument("fold", type=int)
    parser.add_argument("--seconds", type=float, default=60.0, help="for learners with a budget")
    parser.add_argument("--inner", action="store_true", help="score held-out training rows")
    options = parser.parse_args(arguments)
    fold = load_fold(options.table, options.fold)
    if options.inner:
        fold = split_again(fold, seed=options.fold)
    wall, processor = time.perf_counter(), processor_seconds()
    predict = LEARNERS[options.learner](fold, 0, options.seconds)
    seconds, cpu_seconds = time.perf_counter() - wall, processor_seconds() - processor
    started = time.perf_counter()
    predictions = predict()
    print(
        json.dumps(
            {
                "errors": fold.errors(predictions),
                "fit_seconds": seconds,
                "fit_cpu_seconds": cpu_seconds,
                "predict_seconds": time.perf_counter() - started,
                "n_rows": len(fold.y_train),
                "load": load_average(),
                "machine": describe_machine(PACKAGES),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
