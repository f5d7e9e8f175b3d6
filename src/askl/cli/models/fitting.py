"""A fit from the command line: its progress bar, the processes of torchrun, its record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from askl.cli.console import Screen, bars_on_stderr
from askl.cli.models.estimators import final_step
from askl.cli.models.problem import Problem


def fit_model(screen: Screen, model: Any, problem: Problem, *, distributed: bool = False) -> bool:
    """Fit with a progress bar; return True if the user interrupted it, which keeps the model."""
    learner = final_step(model)
    learner.set_params(verbose=int(not screen.quiet))
    if distributed:
        learner.set_params(distributed=True)
    with screen.warnings() as texts, bars_on_stderr():
        model.fit(problem.X, problem.y)
    learner.set_params(verbose=0)
    if distributed:
        learner.set_params(distributed=False)  # a process that loads the model may be alone
    return any("interrupted" in text for text in texts)


def n_processes() -> int:
    """Return the number of processes that torchrun started; one without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Return True in the one process that prints and writes files."""
    return os.environ.get("RANK", "0") == "0"


def held_out_scores(model: Any, regression: bool) -> dict[str, float]:
    """Return the score on rows that were held out, by name; empty if there were none."""
    score = final_step(model).held_out_score_
    return {} if score is None else {"R2" if regression else "accuracy": score}


def describe_fit(model: Any, problem: Problem, output: Path, seconds: float) -> dict[str, Any]:
    """Return what was fitted, as a record."""
    return {
        "model": str(output.resolve()),
        "estimator": type(final_step(model)).__name__,
        "task": problem.task.value,
        "target": problem.target,
        "n_rows": problem.X.shape[0],
        "n_inputs": problem.X.shape[1],
        "seconds": round(seconds, 3),
        "held_out": held_out_scores(model, problem.regression),
    }
