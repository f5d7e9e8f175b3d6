"""Run trials: those without a record, in parallel, each written as it comes."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from reproduction.datasets import find_row, load, load_all
from reproduction.evaluate import make_estimator, measure, parameters_of
from reproduction.hyperparameters import tuned_parameters
from reproduction.progress import show_progress
from reproduction.protocol import Trial, find_protocol
from reproduction.records import Record, is_current, provenance, read_record, write_record
from reproduction.splits import split
from reproduction.workers import Workers


def hyperparameters_of(trial: Trial, results: Path) -> dict[str, Any]:
    """Return what the estimator of a trial is given: the protocol's part and the tuned part."""
    tuned = tuned_parameters(trial.protocol, trial.dataset, trial.method, results)
    return find_protocol(trial.protocol).settings(find_row(trial.dataset), tuned)


def run_trial(trial: Trial, hyperparameters: dict[str, Any], data: str | None) -> Record:
    """Run one trial and return its record; an error in training is a result, and recorded."""
    dataset = load(trial.dataset, data)
    row, rows = dataset.row, split(len(dataset.y), trial.split)
    estimator = make_estimator(row, trial.method, hyperparameters, seed=trial.split)
    record: Record = {
        "trial": trial._asdict(),
        "status": "done",
        "hyperparameters": hyperparameters,
        "estimator": parameters_of(estimator),
        "data": {
            "checksum": dataset.checksum,
            "n_train": len(rows.train),
            "n_test": len(rows.test),
        },
    }
    every = find_protocol(trial.protocol).record_every if row.curves else None
    try:
        measured = measure(estimator, dataset, rows, record_every=every)
    except Exception as error:
        message = "".join(traceback.format_exception_only(error)).strip()
        return record | {"status": "failed", "error": message, "provenance": provenance(0.0)}
    result = {"metrics": measured.metrics, "warnings": measured.warnings}
    if every:
        result["history"] = measured.history
    return record | result | {"provenance": provenance(measured.seconds)}


def run_all(trials: list[Trial], results: Path, data: str | None, workers: Workers) -> int:
    """Run the trials that have no current record, and return how many were run."""
    settings = {trial: hyperparameters_of(trial, results) for trial in trials}
    missing = [
        trial for trial in trials if not is_current(read_record(trial, results), settings[trial])
    ]
    load_all((trial.dataset for trial in missing), data)
    work = sum(trial.work for trial in missing)
    arguments = ((trial, settings[trial], data) for trial in missing)
    with show_progress("trials", len(missing), work) as advance:
        for record in workers.map(run_trial, arguments):
            write_record(record, results)
            advance(describe(record), Trial(**record["trial"]).work)
    return len(missing)


def describe(record: Record) -> str:
    """Say in a line what came of a trial."""
    trial = Trial(**record["trial"])
    if record["status"] == "failed":
        outcome = f"failed: {record['error']}"
    else:
        unit, figure = next(iter(record["metrics"]["test"].items()))
        outcome = f"{figure:.3f} {unit}, {record['provenance']['seconds']:.1f} s"
    return f"{trial.dataset} {trial.method} split {trial.split}: {outcome}"
