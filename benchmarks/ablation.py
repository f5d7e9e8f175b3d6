"""What each ingredient of the default model is worth, on held-out training rows only.

Each variant takes one ingredient away from the defaults, or adds one that is not in them. The
training rows of the first split, up to a number, are divided at random into rows to train on and
rows to measure the error on; test rows are never seen. Each variant on each data set has a record,
so that a run that was stopped continues, and a new variant is measured alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from scipy.stats import rankdata, sem

from askl import NeighbourEncoder, SpreadEncoder, find_symmetries
from benchmarks.data import Split, protocol_split
from benchmarks.defaults import QUICK, default_estimator, warm_up
from benchmarks.machine import PACKAGES
from benchmarks.peers.jobs import DATASETS
from benchmarks.report import (
    RESULTS,
    argument_parser,
    figure,
    make_table,
    output_folder,
    show_progress,
    study_store,
)
from studies.machine import describe_machine
from studies.store import Record, Store

DEFAULT = "default"
VARIANTS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "without a separate rate for the head": {"head_learning_rate": 0.01},
    "without learned frequencies": {"learn_frequencies": False},
    "without the second branch": {"n_branches": 1},
    "without shared phases": {"phases": "independent"},
    "with a normal density": {"density": "gaussian"},
    "without robust scaling": {"scale_inputs": "standard"},
    "without dropout": {"dropout": 0.0},
    "without smoothed labels": {"loss": "log"},
    "without the cosine schedule": {"schedule": "constant"},
    "without penalties": {"head_penalty": 0.0, "feature_penalty": 0.0},
    "without the exact head": {"refit_head": False},
    "with ten epochs": {"max_epochs": 10},
    "with batches of 32": {"batch_size": 32},
    "with ranks in addition to the inputs": {"scale_inputs": "robust+quantile"},
    "with directions of rows": {"scale_inputs": "robust+direction"},
    "with noisy inputs": {"input_noise": 0.3},
    "with weighted inputs": {"weigh_inputs": True},
    "with decorrelated inputs": {"decorrelate_inputs": True},
    "with a hidden layer": {"hidden_components": (256,), "n_components": 500},
    "with mean targets of neighbours": {"encoder": NeighbourEncoder},
    "with standard deviations of similar columns": {"encoder": SpreadEncoder},
    "with symmetries": {"symmetries": "found"},
}
# For the other task these variants equal the default.
REGRESSION_ONLY = frozenset({"without the exact head"})
CLASSIFICATION_ONLY = frozenset({"without smoothed labels"})

Scores = dict[str, list[float]]


def divide(split: Split, seed: int, most_rows: int) -> Split:
    """Divide training rows: four fifths to train on, one fifth to measure the error on."""
    order = np.random.default_rng(seed).permutation(len(split.y_train))[:most_rows]
    train, other = np.split(order, [int(0.8 * len(order))])
    X, y = split.X_train, split.y_train
    return Split(X[train], y[train], X[other], y[other])


def error(split: Split, parameters: Mapping[str, Any], seed: int) -> float:
    """Fit, and return the error on the other rows: percent wrong, or RMSE."""
    parameters = {**parameters, "random_state": seed}
    if "encoder" in parameters:
        split = encode(split, parameters.pop("encoder")(random_state=seed))
    if "symmetries" in parameters:
        task = "regression" if split.regression else "classification"
        parameters["symmetries"] = find_symmetries(split.X_train, split.y_train, task=task)
    model = default_estimator(split, **parameters)
    score = split.score(model.fit(split.X_train, split.y_train).predict(split.X_test))
    return score if split.regression else 100.0 - score


def encode(split: Split, encoder: Any) -> Split:
    """Append the columns of an encoder, as the automatic models do."""
    classes = np.unique(split.y_train)
    targets = split.y_train if split.regression else split.y_train[:, None] == classes
    X_train = encoder.fit_transform(split.X_train, np.asarray(targets, dtype=np.float64))
    return split._replace(X_train=X_train, X_test=encoder.transform(split.X_test))


def measure(
    name: str, known: Scores, *, n_seeds: int, most_rows: int, quick: bool
) -> Iterator[Record]:
    """Yield a record for each variant that is not known: its errors on a data set over seeds."""
    split = protocol_split(name)
    parts = [divide(split, seed, most_rows) for seed in range(n_seeds)]
    others = CLASSIFICATION_ONLY if split.regression else REGRESSION_ONLY
    errors = dict(known)
    for variant, parameters in VARIANTS.items():
        if variant in known:
            continue
        merged = {**parameters, **QUICK} if quick else parameters
        errors[variant] = (
            errors[DEFAULT]
            if variant in others
            else [error(part, merged, seed) for seed, part in enumerate(parts)]
        )
        yield {
            "data": name,
            "variant": variant,
            "measure": "rmse" if split.regression else "percent wrong",
            "most_rows": most_rows,
            "errors": errors[variant],
            "machine": describe_machine(PACKAGES),
        }


def summarize(scores: Iterable[Scores]) -> dict[str, dict[str, float]]:
    """Return each variant's mean rank, change of the error in percent, and sets made worse.

    Changes are geometric means over data sets of the ratio to the default's error, with the
    standard error that goes with them.
    """
    errors = np.array([[np.mean(each[variant]) for variant in VARIANTS] for each in scores])
    # Smaller differences than a hundredth are rounding errors that depend on the machine.
    errors = np.round(errors, 2)
    ranks = np.apply_along_axis(rankdata, 1, errors)
    # An error of zero has no logarithm: it counts as a hundredth.
    ratios = np.log(np.maximum(errors, 0.01)) - np.log(np.maximum(errors[:, :1], 0.01))
    return {
        variant: {
            "mean_rank": float(ranks[:, column].mean()),
            "change_percent": float(100.0 * np.expm1(ratios[:, column].mean())),
            "standard_error": float(100.0 * sem(ratios[:, column])) if len(errors) > 1 else 0.0,
            "n_worse": int((errors[:, column] > errors[:, 0]).sum()),
            "n_better": int((errors[:, column] < errors[:, 0]).sum()),
        }
        for column, variant in enumerate(VARIANTS)
    }


def open_store(results: Path = RESULTS) -> Store:
    return study_store("ablation", ("data", "variant"), results)


def scores_by_data(records: Iterable[Record]) -> dict[str, Scores]:
    """Gather errors: {data set: {variant: errors over seeds}}, data sets in the usual order."""
    found: dict[str, Scores] = {name: {} for name in DATASETS}
    for record in records:
        if record["variant"] in VARIANTS:
            found[record["data"]][record["variant"]] = record["errors"]
    return {name: scores for name, scores in found.items() if scores}


def show(scores: Mapping[str, Scores]) -> None:
    columns = ("variant", "mean rank", "error, %", "worse on", "better on")
    table = make_table(f"One ingredient at a time, {len(scores)} data sets", columns)
    for variant, row in summarize(scores.values()).items():
        table.add_row(variant, *cells(row))
    Console().print(table)


def cells(row: Mapping[str, float]) -> list[str]:
    """Write the figures of a variant for a table."""
    change = f"{row['change_percent']:+.1f} ± {row['standard_error']:.1f}"
    return [figure(row["mean_rank"]), change, str(row["n_worse"]), str(row["n_better"])]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("data", nargs="*", metavar="data", help=f"any of {', '.join(DATASETS)}")
    parser.add_argument("--seeds", type=int, default=2, help="divisions of each set (%(default)s)")
    parser.add_argument("--rows", type=int, default=4000, help="at most (%(default)s)")
    options = parser.parse_args(arguments)
    store = open_store(output_folder(options))
    names = options.data or (["segment", "space_ga"] if options.quick else list(DATASETS))
    seeds, rows = (1, 200) if options.quick else (options.seeds, options.rows)
    warm_up()
    scores = scores_by_data(store.read().values())
    waiting = [name for name in names if VARIANTS.keys() - scores.get(name, {}).keys()]
    for name in show_progress(waiting, "Fitting"):
        known = scores.get(name, {})
        for record in measure(name, known, n_seeds=seeds, most_rows=rows, quick=options.quick):
            store.write(record)
    store.compact()
    show(scores_by_data(store.read().values()))


if __name__ == "__main__":
    main()
