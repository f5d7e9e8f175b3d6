"""Small portfolios, tables and problems for the tests of the automatic models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from askl.auto.candidates import Candidate, CandidateKey, Candidates, make_candidates
from askl.auto.execution.budget import Budget
from askl.auto.execution.cost_model import CostModel
from askl.auto.execution.folds import Fold
from askl.auto.execution.scheduler import Scheduler
from askl.auto.execution.trial import Problem, Trial, make_problem
from askl.auto.settings import SearchSettings

SETTINGS = SearchSettings()
QUICK = {
    "one layer": {"n_components": 32, "max_epochs": 4},
    "two layers": {"hidden_components": (16,), "n_components": 16, "max_epochs": 4},
    "ranks": {"n_components": 32, "max_epochs": 4, "scale_inputs": "quantile"},
}


def quick(kind: Any, **parameters: Any) -> Any:
    options = {"time_budget": None, "max_members": 3, "portfolio": QUICK, "random_state": 0}
    return kind(**{**options, **parameters})


def within(kind: Any, seconds: float, **parameters: Any) -> Any:
    """The built-in portfolio within estimated seconds, which no clock decides."""
    settings = SETTINGS._replace(least_seconds=seconds, most_seconds=seconds)
    return kind(**{"max_members": 1, "random_state": 0, "settings": settings, **parameters})


def messy_table(n_rows: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": random.normal(size=n_rows),
            "color": random.choice(["red", "green", "blue"], n_rows),
            "town": pd.Categorical(random.choice([f"town {i}" for i in range(40)], n_rows)),
            "day": pd.date_range("2020-01-01", periods=n_rows),
            "flag": random.random(n_rows) > 0.5,
        }
    )
    signal = table["size"] + (table["color"] == "red") + table["flag"]
    table.loc[::7, "size"] = np.nan
    table.loc[::9, "color"] = None
    table.loc[::11, "day"] = pd.NaT
    return table, signal.to_numpy()


def product_of_alike(n_rows: int = 700) -> tuple[np.ndarray, np.ndarray]:
    """Four columns, of which the first and the last two are exchangeable, and so are the pairs."""
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    return X, X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]


def problem_of(X: Any, targets: np.ndarray, n_classes: int = 0) -> Problem:
    return make_problem(X, targets, None, n_classes=n_classes, seed=0, log_loss_share=0.3)


def counted(n_rows: int = 100, n_features: int = 2) -> Problem:
    """A problem that nothing is trained on."""
    return problem_of(np.zeros((n_rows, n_features)), np.arange(float(n_rows)))


def candidates_of(
    portfolio: Mapping[str, Candidate], problem: Problem, symmetries: Any = ()
) -> Candidates:
    n_samples, n_features = problem.X.shape
    return make_candidates(
        portfolio,
        n_features=n_features,
        n_samples=n_samples,
        task="classification" if problem.n_classes else "regression",
        settings=SETTINGS,
        symmetries=symmetries,
    )


def scheduler_of(problem: Problem, budget: Budget | None = None, **options: Any) -> Scheduler:
    costs = CostModel(problem, SETTINGS.cost)
    return Scheduler(problem, costs, budget or Budget(None), **options)


def trial(key: CandidateKey, error: float, predictions: Any = None, n_rows: int = 20) -> Trial:
    return Trial(key, np.zeros(n_rows) if predictions is None else predictions, error, 1.0)


class ScriptedScheduler(Scheduler):
    """Trains nothing: every candidate has the error that a function of it says."""

    def __init__(
        self,
        problem: Problem,
        error: Callable[[CandidateKey, Mapping[str, Any]], float],
        budget: Budget | None = None,
    ) -> None:
        super().__init__(problem, CostModel(problem, SETTINGS.cost), budget or Budget(None))
        self.error = error
        self.begun: list[tuple[Fold, CandidateKey, Mapping[str, Any]]] = []

    def run_trials(
        self, fold: Fold, parameters: Mapping[CandidateKey, dict[str, Any]], **options: Any
    ) -> Iterator[Trial]:
        for key, own in parameters.items():
            self.begun.append((fold, key, own))
            yield trial(key, self.error(key, own), n_rows=len(fold.held_out))
