"""``askl fit``: a model from a table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from askl.cli.choices import AUTO, FittedMethod
from askl.cli.console import Screen
from askl.cli.errors import INTERRUPTED
from askl.cli.files import check_destination
from askl.cli.models.estimators import make_estimator, parse_settings
from askl.cli.models.fitting import describe_fit, fit_model, is_first_process, n_processes
from askl.cli.models.problem import read_problem
from askl.cli.models.saved_model import save_model
from askl.cli.options import Data, Json, Output, Quiet, Seed, Settings, Target, TaskOption


def fit(
    data: Data,
    output: Output,
    target: Target = None,
    method: FittedMethod = AUTO,
    time_budget: Annotated[
        float | None, typer.Option(min=1.0, help="Seconds that auto may take.")
    ] = None,
    settings: Settings = None,
    task: TaskOption = None,
    seed: Seed = 0,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="File (for auto: folder) from which a killed fit is resumed."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fit a model to a table and save it. Processes started by torchrun share the fit."""
    screen = Screen(as_json=as_json, quiet=quiet or not is_first_process())
    _check_usage(method, time_budget)
    check_destination(output, data)
    parameters = _parameters(method, time_budget, checkpoint) | parse_settings(settings)
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


def _check_usage(method: str, time_budget: float | None) -> None:
    if method != AUTO and time_budget is not None:
        raise typer.BadParameter("--time-budget is for --method auto. Set max_epochs instead.")
    if method == AUTO and n_processes() > 1:
        raise typer.BadParameter(
            "torchrun shares one fit, and auto makes many. Name a method, such as --method askl."
        )


def _parameters(method: str, time_budget: float | None, checkpoint: Path | None) -> dict[str, Any]:
    """Return the parameters that have options of their own."""
    # One file for a single training; a folder of finished ones for many.
    kept = "memory" if method == AUTO else "checkpoint"
    named = {"time_budget": time_budget, kept: checkpoint and str(checkpoint)}
    return {name: value for name, value in named.items() if value is not None}


def _lines(record: dict[str, Any], output: Path) -> list[str]:
    lines = [f"Fitted {record['estimator']} in {record['seconds']:.1f} s."]
    for name, value in record["held_out"].items():
        lines.append(f"Held-out {name}: {value:.4f}")
    lines.append(f"Model: {record['model']}")
    if record["interrupted"]:
        lines.append("Training was interrupted: this is the model trained so far.")
    lines.append(f"Next: askl predict {output} NEW.csv -o predictions.csv")
    return lines
