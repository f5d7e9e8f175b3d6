"""Fit one learner to one fold in this process, and print what was measured as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from benchmarks.processes import timed
from benchmarks.tables.data import TABLES, Fold, load_fold, split_again
from benchmarks.tables.learners import LEARNERS
from studies.machine import describe_machine, load_average

PACKAGES = (
    *("askl", "torch", "numpy", "scikit-learn"),
    *("catboost", "lightgbm", "autogluon.tabular"),
)


def measure(learner: str, fold: Fold, budget: float) -> dict[str, Any]:
    """Fit and predict; categories and gaps are part of both."""
    predict, seconds, cpu_seconds = timed(lambda: LEARNERS[learner](fold, 0, budget))
    predictions, predict_seconds, _ = timed(predict)
    return {
        "errors": fold.errors(predictions),
        "fit_seconds": seconds,
        "fit_cpu_seconds": cpu_seconds,
        "predict_seconds": predict_seconds,
        "n_rows": len(fold.y_train),
        "load": load_average(),
        "machine": describe_machine(PACKAGES),
    }


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
    print(json.dumps(measure(options.learner, fold, options.seconds)), flush=True)


if __name__ == "__main__":
    main()
