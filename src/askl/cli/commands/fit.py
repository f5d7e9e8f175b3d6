"""``askl fit``: a model from a table."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.pipeline import Pipeline

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.cli.console import Screen, bars_on_stderr
from askl.cli.errors import INTERRUPTED
from askl.cli.files import check_destination
from askl.cli.models import save_model
from askl.cli.options import Data, Json, Output, Quiet, Seed, Settings, Target
from askl.cli.tabular.problems import (
    Method,
    Problem,
    Task,
    make_estimator,
    parse_settings,
    read_problem,
)


def fit(
    data: Data,
    output: Output,
    target: Target = None,
    method: Annotated[Method, typer.Option(help="What to fit; auto tries several.")] = Method.auto,
    time_budget: Annotated[
        float | None, typer.Option(min=1.0, help="Seconds that auto may take.")
    ] = None,
    settings: Settings = None,
    task: Annotated[Task | None, typer.Option(help="Told by the target by default.")] = None,
    seed: Seed = 0,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File (for auto: folder) to go on from when killed.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit a model to a table and save it. Started by torchrun, the processes share the fit."""
    screen = Screen(as_json=as_json, quiet=quiet or not is_first_process())
    # A file of one training, or a folder of many finished ones.
    checkpointer = "memory" if method is Method.auto else "checkpoint"
    named = {"time_budget": time_budget, checkpointer: checkpoint and str(checkpoint)}
    parameters = {name: value for name, value in named.items() if value is not None}
    parameters |= parse_settings(settings)
    if method is not Method.auto and time_budget is not None:
        raise typer.BadParameter("--time-budget is for --method auto. Set max_epochs instead.")
    if method is Method.auto and n_processes() > 1:
        raise typer.BadParameter("torchrun shares one fit. Name it, such as --method askl.")
    check_destination(output, data)
    problem = read_problem(screen, data, target, task)
    model = make_estimator(problem, method, parameters, seed=seed)
    started = time.perf_counter()
    interrupted = fit_model(screen, model, problem, distributed=n_processes() > 1)
    seconds = time.perf_counter() - started
    if not is_first_process():
        return
    save_model(model, problem, output)
    record = describe_fit(model, problem, output, seconds) | {"interrupted": interrupted}
    screen.result(record, *_lines(record, output))
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def fit_model(screen: Screen, model: Any, problem: Problem, *, distributed: bool = False) -> bool:
    """Fit with a progress bar; say whether training was interrupted, its model so far kept."""
    learner = final_step(model)
    learner.set_params(verbose=int(not screen.quiet))
    if distributed:
        learner.set_params(distributed=True)
    with screen.warnings() as texts, bars_on_stderr():
        model.fit(problem.X, problem.y)
    learner.set_params(verbose=0)
    if distributed:
        learner.set_params(distributed=False)  # whoever loads the model may be alone
    return any("interrupted" in text for text in texts)


def n_processes() -> int:
    """Return how many processes torchrun started; one without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Say whether this is the process that speaks and writes."""
    return os.environ.get("RANK", "0") == "0"


def final_step(model: Any) -> Any:
    """Return the estimator itself, whatever stands before it."""
    return model[-1] if isinstance(model, Pipeline) else model


def is_auto(model: Any) -> bool:
    """Say whether a model is an ensemble chosen automatically."""
    return isinstance(model, AutoSpectralKernelClassifier | AutoSpectralKernelRegressor)


def held_out_scores(model: Any, regression: bool) -> dict[str, float]:
    """Return scores on rows that were held out, by name; none where there were none."""
    learner = final_step(model)
    name = "R2" if regression else "accuracy"
    if is_auto(learner):
        score = learner.held_out_score_
        return {} if score is None else {name: score}
    scores = [record.score for record in learner.history_ if record.score is not None]
    if not scores:
        return {}
    # Squared errors are in units of the target's variance.
    return {name: 1.0 + max(scores) if regression else max(scores)}


def describe_fit(model: Any, problem: Problem, output: Path, seconds: float) -> dict[str, Any]:
    """Say what was fitted, as a record."""
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


def _lines(record: dict[str, Any], output: Path) -> list[str]:
    lines = [f"Fitted {record['estimator']} in {record['seconds']:.1f} s."]
    for name, value in record["held_out"].items():
        lines.append(f"Held-out {name}: {value:.4f}")
    lines.append(f"Model: {record['model']}")
    if record["interrupted"]:
        lines.append("Training was interrupted: this is the model so far.")
    lines.append(f"Next: askl predict {output} NEW.csv -o predictions.csv")
    return lines
