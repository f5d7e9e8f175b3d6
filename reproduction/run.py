"""Run trials: those without a record, in parallel, each written as it comes."""

from __future__ import annotations

import traceback
from typing import Any

from reproduction.datasets import find_row, load, load_all
from reproduction.evaluate import make_estimator, measure
from reproduction.folders import Folders
from reproduction.hyperparameters import tuned_parameters
from reproduction.protocol import Trial, find_protocol
from reproduction.records import is_current, provenance, read_records_of, write_record
from reproduction.splits import split
from reproduction.workers import Workers
from studies.progress import show_progress
from studies.store import Record


def parameters_of(trial: Trial, folders: Folders) -> dict[str, Any]:
    """Return the parameters of a trial: those of the protocol, and the tuned ones."""
    tuned = tuned_parameters(trial.protocol, trial.dataset, trial.method, folders)
    return find_protocol(trial.protocol).settings(find_row(trial.dataset), tuned)


def run_trial(trial: Trial, parameters: dict[str, Any], data: str | None) -> Record:
    """Run one trial and return its record; an error in training is a result, and recorded."""
    dataset = load(trial.dataset, data)
    row, rows = dataset.row, split(len(dataset.y), trial.split)
    estimator = make_estimator(row, trial.method, parameters, seed=trial.split)
    record: Record = {
        "trial": trial._asdict(),
        "status": "done",
        "parameters": parameters,
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


def run_all(trials: list[Trial], folders: Folders, data: str | None, workers: Workers) -> int:
    """Run the trials that have no current record, and return how many were run."""
    parameters = {trial: parameters_of(trial, folders) for trial in trials}
    records = read_records_of(trials, folders)
    missing = [trial for trial in trials if not is_current(records.get(trial), parameters[trial])]
    load_all((trial.dataset for trial in missing), data)
    work = sum(trial.work for trial in missing)
    arguments = ((trial, parameters[trial], data) for trial in missing)
    with show_progress("trials", len(missing), work) as advance:
        for record in workers.map(run_trial, arguments):
            write_record(record, folders)
            advance(describe(record), Trial(**record["trial"]).work)
    return len(missing)


def describe(record: Record) -> str:
    """Return the result of a trial in a line."""
    trial = Trial(**record["trial"])
    if record["status"] == "failed":
        outcome = f"failed: {record['error']}"
    else:
        unit, figure = next(iter(record["metrics"]["test"].items()))
        outcome = f"{figure:.3f} {unit}, {record['provenance']['seconds']:.1f} s"
    return f"{trial.dataset} {trial.method} split {trial.split}: {outcome}"
