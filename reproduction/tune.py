"""Tune the hyperparameters of a method on a data set, by successive halving with Optuna.

The search of each cell (protocol, data set, method) is in one SQLite file. Settings are proposed
one after the other, each by a sampler seeded with its number, so that a search that was killed
continues to the same result; many cells are searched at a time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from reproduction.datasets import Dataset, find_row, load, load_all
from reproduction.evaluate import make_estimator, measure
from reproduction.folders import Folders
from reproduction.hyperparameters import read_tuned, write_tuned
from reproduction.protocol import ProtocolError, find_protocol, method_work
from reproduction.records import provenance
from reproduction.splits import folds, split
from reproduction.workers import Workers
from studies.progress import show_progress

optuna.logging.set_verbosity(optuna.logging.WARNING)


class Cell(NamedTuple):
    """What one search tunes."""

    protocol: str
    dataset: str
    method: str

    @property
    def work(self) -> int:
        """Return the cost up to a constant factor: rows beyond the limit are not used."""
        row = find_row(self.dataset)
        n_rows = min(row.n_samples, find_protocol(self.protocol).tuning["max_rows"])
        return int(row.work // row.n_samples * n_rows * method_work(self.method))


def tune_all(cells: list[Cell], folders: Folders, data: str | None, workers: Workers) -> int:
    """Tune the cells that are not tuned yet, and return how many were."""
    missing = [
        cell
        for cell in cells
        if cell.method not in read_tuned(cell.protocol, cell.dataset, folders)
    ]
    load_all((cell.dataset for cell in missing), data)
    work = sum(cell.work for cell in missing)
    arguments = ((cell, folders, data) for cell in missing)
    with show_progress("cells", len(missing), work) as advance:
        for cell, table in workers.map(tune_cell, arguments):
            tables = read_tuned(cell.protocol, cell.dataset, folders)
            write_tuned(cell.protocol, cell.dataset, folders, tables | {cell.method: table})
            score = table["score"]
            message = f"{cell.dataset} {cell.method}: {score['mean']:.3f} {score['unit']}"
            advance(message, cell.work)
    return len(missing)


def tune_cell(
    cell: Cell, folders: Folders, data: str | None, search_type: type[Search] | None = None
) -> tuple[Cell, dict[str, Any]]:
    """Search one cell to the end of its budget, and return the table of the best setting."""
    search = (search_type or Search)(cell, load(cell.dataset, data))
    with open_search(cell, folders) as study:
        while (n_finished := count_finished(study)) < search.tuning["n_trials"]:
            search.try_next(study, n_finished)
        return cell, search.summarize(study)


@contextmanager
def open_search(cell: Cell, folders: Folders) -> Iterator[optuna.Study]:
    """Open or create the search of a cell; trials that a killed process left open have failed."""
    protocol, row = find_protocol(cell.protocol), find_row(cell.dataset)
    path = folders.search(*cell).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    try:
        study = optuna.create_study(
            storage=storage,
            study_name=protocol.digest(),
            direction="maximize" if row.task == "classification" else "minimize",
            pruner=optuna.pruners.SuccessiveHalvingPruner(
                min_resource=1, reduction_factor=protocol.tuning["reduction_factor"]
            ),
            load_if_exists=True,
        )
        for trial in study.get_trials(states=[TrialState.RUNNING]):
            study.tell(trial.number, state=TrialState.FAIL)
        yield study
    finally:
        storage.engine.dispose()


def count_finished(study: optuna.Study) -> int:
    """Count the settings that were tried; those that raised are included, killed ones are not."""
    return sum(
        trial.state in (TrialState.COMPLETE, TrialState.PRUNED) or "error" in trial.user_attrs
        for trial in study.get_trials(deepcopy=False)
    )


class Search:
    """The search of one cell: what is tried, on which rows, and how it is scored."""

    def __init__(self, cell: Cell, dataset: Dataset) -> None:
        protocol = find_protocol(cell.protocol)
        self.cell, self.dataset, self.tuning = cell, dataset, protocol.tuning
        self.fixed, self.space = protocol.fixed(dataset.row), protocol.searched(cell.method)
        # NOTE: test rows of split 0 are never seen here; those of other splits may be.
        self.rows = split(len(dataset.y), 0).train[: self.tuning["max_rows"]]
        self.folds = folds(self.rows, self.tuning["n_folds"])

    def try_next(self, study: optuna.Study, number: int) -> None:
        """Propose setting ``number``, and try it on one rung after the other."""
        study.sampler = optuna.samplers.TPESampler(seed=number, n_startup_trials=8)
        if number == 0:
            study.enqueue_trial({name: space["start"] for name, space in self.space.items()})
        distributions = {name: distribution(space) for name, space in self.space.items()}
        trial = study.ask(distributions)
        started = time.process_time()
        try:
            score = self.try_rungs(trial)
            state = TrialState.PRUNED if score is None else TrialState.COMPLETE
        except Exception as error:
            trial.set_user_attr("error", repr(error))
            score, state = None, TrialState.FAIL
        trial.set_user_attr("seconds", time.process_time() - started)
        study.tell(trial, score, state=state)

    def try_rungs(self, trial: optuna.Trial) -> float | None:
        """Score a setting rung by rung; None if it is pruned before the last one."""
        scores: dict[tuple[float, int], float] = {}
        rungs = self.tuning["rungs"]
        for level, rung in enumerate(rungs):
            keys = [(rung["epochs"], fold) for fold in range(rung["folds"])]
            for key in keys:
                if key not in scores:
                    scores[key] = self.score(trial.params, *key)
            mean = float(np.mean([scores[key] for key in keys]))
            trial.report(mean, self.tuning["reduction_factor"] ** level)
            if level + 1 < len(rungs) and trial.should_prune():
                return None
        trial.set_user_attr("folds", [scores[key] for key in keys])
        return mean

    def score(self, setting: Mapping[str, Any], epochs: float, fold: int) -> float:
        """Train for a share of the epochs on all folds but one, and measure on that one."""
        parameters = self.fixed | decode(self.space, setting)
        row = self.dataset.row
        estimator = make_estimator(row, self.cell.method, parameters, seed=0)
        estimator.set_params(max_epochs=max(1, round(epochs * estimator.max_epochs)))
        measured = measure(estimator, self.dataset, self.folds[fold])
        score = measured.metrics["test"][row.units[0]]
        if not math.isfinite(score):
            raise FloatingPointError(f"The score of {parameters} is {score}.")
        return score

    def summarize(self, study: optuna.Study) -> dict[str, Any]:
        """Return the best setting with its scores and their provenance."""
        trials = study.get_trials(deepcopy=False)
        completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
        if not completed:
            errors = sorted({trial.user_attrs.get("error", "") for trial in trials})
            raise ProtocolError(f"No setting of {self.cell} could be trained: {errors}")
        best = study.best_trial
        seconds = sum(trial.user_attrs.get("seconds", 0.0) for trial in trials)
        return {
            "protocol": study.study_name,
            "parameters": decode(self.space, best.params),
            "score": {
                "unit": self.dataset.row.units[0],
                "mean": best.value,
                "std": float(np.std(best.user_attrs["folds"], ddof=1)),
                "n_folds": len(self.folds),
                "n_rows": len(self.rows),
                "n_settings": count_finished(study),
                "n_completed": len(completed),
            },
            "provenance": {"data": self.dataset.checksum, **provenance(seconds)},
        }


def distribution(space: Mapping[str, Any]) -> BaseDistribution:
    """Return Optuna's distribution of a dimension; exponents are ordered: they are integers."""
    if "values" in space:
        return CategoricalDistribution(space["values"])
    return IntDistribution(space["low"], space["high"])


def decode(space: Mapping[str, Mapping[str, Any]], setting: Mapping[str, Any]) -> dict[str, Any]:
    """Turn exponents into the numbers they stand for."""
    return {
        name: value if "values" in space[name] else float(space[name]["base"]) ** value
        for name, value in setting.items()
    }
