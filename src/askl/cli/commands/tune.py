"""``askl tune``: search the hyperparameters with Optuna, and fit the best model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Annotated, Any

import typer
from joblib import parallel_config

from askl.cli.choices import AUTO, TunedMethod
from askl.cli.console import Screen
from askl.cli.files import check_destination, require
from askl.cli.models.estimators import make_estimator, parse_settings
from askl.cli.models.fitting import describe_fit, fit_model
from askl.cli.models.problem import read_problem
from askl.cli.models.saved_model import save_model
from askl.cli.models.study import StudyPlan, choose_error, run_study
from askl.cli.options import Data, Json, Output, Quiet, Seed, Settings, Target, TaskOption
from askl.errors import AsklError

# Dask advises to scatter what is larger than this.
LARGE_WARNING = "distributed.admin.large-graph-warning-threshold"


class Backend(str, Enum):
    """Where fits run: processes of this machine, or a Dask cluster."""

    joblib = "joblib"
    dask = "dask"


def tune(
    data: Data,
    output: Output,
    target: Target = None,
    method: TunedMethod = "askl",
    trials: Annotated[
        int, typer.Option(min=1, help="Number of trials, with those of earlier runs.")
    ] = 30,
    timeout: Annotated[
        float | None, typer.Option(min=1.0, help="Seconds after which no trial starts.")
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(
            help="URL of the storage of trials, such as sqlite:///study.db or postgresql://"
        ),
    ] = None,
    study_name: Annotated[str, typer.Option(help="Name of the study in the storage.")] = "askl",
    jobs: Annotated[int, typer.Option(min=1, help="Trials at a time.")] = 1,
    backend: Annotated[Backend, typer.Option(help="Where trials run.")] = Backend.joblib,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, tcp://host:8786.")
    ] = None,
    settings: Settings = None,
    task: TaskOption = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune a method by cross-validation, then fit it to the whole table and save it.

    With --study, trials are stored: a search that ended or was killed is resumed.
    """
    if method == AUTO:
        raise typer.BadParameter("auto tunes itself: use askl fit --method auto.")
    if scheduler is not None and backend is not Backend.dask:
        raise typer.BadParameter("--scheduler is for --backend dask.")
    screen = Screen(as_json=as_json, quiet=quiet)
    require("optuna", "tune")
    check_destination(output, data)
    problem = read_problem(screen, data, target, task)
    fixed = parse_settings(settings)
    make_estimator(problem, method, fixed, seed=seed)  # a wrong name is found before any trial
    plan = StudyPlan(trials, timeout, study, study_name, jobs)
    with running_on(backend, scheduler) as share:
        found = run_study(screen, problem, method, fixed, plan, seed=seed, share=share)
    model = make_estimator(problem, method, {**fixed, **found.best_params}, seed=seed)
    started = time.perf_counter()
    fit_model(screen, model, problem)
    save_model(model, problem, output)
    record = describe_fit(model, problem, output, time.perf_counter() - started)
    record |= {"best": found.best_params, "score": found.best_value, "n_trials": len(found.trials)}
    lines = [f"{name} = {value}" for name, value in found.best_params.items()]
    error = choose_error(problem, model).name
    summary = f"Best of {len(found.trials)} trials: {error} {found.best_value:.4f}"
    screen.result(record, summary, *lines, f"Model: {record['model']}")


@contextmanager
def running_on(backend: Backend, scheduler: str | None) -> Iterator[Callable[[Any], Any]]:
    """Run joblib's tasks on this machine or on a Dask cluster; yield how to share an argument.

    Data that are scattered to Dask's workers are lost with the last worker that holds them. The
    result of a task is computed again by another worker, and each worker still receives it once.
    """
    if backend is Backend.joblib:
        yield unchanged
        return
    with (
        connect(scheduler) as client,
        require("dask.config", "dask").set({LARGE_WARNING: "1 TB"}),
        parallel_config(backend="dask", client=client),
    ):
        yield partial(client.submit, unchanged, pure=False)


def unchanged(value: Any) -> Any:
    """Return what is given."""
    return value


def connect(scheduler: str | None) -> Any:
    """Connect to a Dask cluster that has a worker, or start one on this machine."""
    distributed = require("distributed", "dask")
    try:
        client = distributed.Client(scheduler)
        client.wait_for_workers(1, timeout=30)
    except (OSError, ValueError, distributed.TimeoutError) as error:
        raise AsklError(
            f"The Dask cluster {scheduler!r} cannot be used: {str(error).splitlines()[0]} "
            "`dask scheduler` prints its address. Start `dask worker` with the same one."
        ) from error
    return client
