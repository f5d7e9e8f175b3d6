"""The study of ``askl tune``: Optuna proposes settings, which are cross-validated in parallel."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config
from rich.box import SIMPLE_HEAD
from rich.live import Live
from rich.table import Table as Lines
from sklearn.model_selection import cross_val_score

from askl.cli.console import Screen
from askl.cli.files import require
from askl.cli.models.estimators import final_step, make_estimator
from askl.cli.models.problem import Problem
from askl.errors import AsklError

N_FOLDS = 3
SHOWN_TRIALS = 8


class StudyPlan(NamedTuple):
    """How long a study runs, where its trials are stored, and how many run at a time."""

    n_trials: int
    timeout: float | None
    storage: str | None
    name: str
    n_jobs: int


def propose(trial: Any, fixed: Mapping[str, Any], regression: bool) -> dict[str, Any]:
    """Draw the parameters that matter most for accuracy, but for those that the user fixed."""
    scalings = ["robust", "quantile", "robust+quantile", "bins"]
    space: dict[str, Callable[[str], Any]] = {
        "frequency_scale": lambda name: trial.suggest_float(name, 0.1, 4.0, log=True),
        "learning_rate": lambda name: trial.suggest_float(name, 1e-3, 0.1, log=True),
        "dropout": lambda name: trial.suggest_float(name, 0.0, 0.5),
        "max_epochs": lambda name: trial.suggest_int(name, 10, 60),
        "scale_inputs": lambda name: trial.suggest_categorical(name, scalings),
        "head_penalty": lambda name: trial.suggest_float(name, 1e-7, 1e-2, log=True),
    }
    if regression:  # the exact solution of the head chooses its penalty itself
        del space["head_penalty"]
    drawn = {name: draw(name) for name, draw in space.items() if name not in fixed}
    return {**drawn, **fixed}


class TrialError(NamedTuple):
    """The error that a study minimises.

    Attributes
    ----------
    name : str
    scoring : str
        The name of scikit-learn's score.
    from_score : callable
        From that score to the error.
    """

    name: str
    scoring: str
    from_score: Callable[[float], float]


def choose_error(problem: Problem, estimator: Any) -> TrialError:
    """Choose the error of an estimator on a problem."""
    if problem.regression:
        return TrialError("RMSE", "neg_root_mean_squared_error", lambda score: -score)
    if hasattr(final_step(estimator), "predict_proba"):
        return TrialError("log loss", "neg_log_loss", lambda score: -score)
    return TrialError("share of errors", "accuracy", lambda score: 1.0 - score)


def cross_validate(problem: Problem, estimator: Any) -> float:
    """Return the mean error over the folds."""
    error = choose_error(problem, estimator)
    # In this process: folds that one worker sends to another are lost if either of them dies.
    with parallel_config(backend="sequential"):
        folds = cross_val_score(
            estimator,
            problem.X,
            problem.y,
            cv=N_FOLDS,
            scoring=error.scoring,
            error_score="raise",
        )
    return error.from_score(float(folds.mean()))


def _try(X: Any, y: Any, problem: Problem, estimator: Any, number: int) -> tuple[int, float | str]:
    try:
        return number, cross_validate(problem._replace(X=X, y=y), estimator)
    except ValueError as error:
        return number, str(error)


def run_study(
    screen: Screen,
    problem: Problem,
    method: str,
    fixed: Mapping[str, Any],
    plan: StudyPlan,
    *,
    seed: int,
    share: Callable[[Any], Any],
) -> Any:
    """Run trials until the plan is done; only this process uses the storage."""
    error = choose_error(problem, make_estimator(problem, method, fixed, seed=seed)).name
    what = f"{error} of {method}, {problem.X.shape} inputs, target {problem.target}"
    study = open_study(plan, what)
    deadline = time.monotonic() + (plan.timeout or float("inf"))
    X, y = share(problem.X), share(problem.y)
    without_rows = problem._replace(X=problem.X[:0], y=problem.y[:0])

    def ask() -> Any:
        with lock:
            if _n_finished(study) + len(asked) >= plan.n_trials or time.monotonic() >= deadline:
                return None
            trial = study.ask()
            asked[trial.number] = trial
            return trial

    def tasks() -> Iterator[Any]:
        while (trial := ask()) is not None:
            # Seeded by the number: a study that is resumed, here or elsewhere, repeats no trial.
            study.sampler = make_sampler(seed + trial.number)
            setting = propose(trial, fixed, problem.regression)
            estimator = make_estimator(problem, method, setting, seed=seed)
            yield delayed(_try)(X, y, without_rows, estimator, trial.number)

    asked: dict[int, Any] = {}
    lock = Lock()  # joblib asks for tasks in one thread, and results are read in another
    with screen.warnings(), Live(console=screen.notes, transient=True) as live:
        parallel = Parallel(
            n_jobs=plan.n_jobs,
            return_as="generator_unordered",
            pre_dispatch="n_jobs",
            batch_size=1,
        )
        for number, outcome in parallel(tasks()):
            with lock:
                _tell(study, asked.pop(number), outcome)
            live.update(_layout(study, error))
    if not _completed(study):
        reasons = {trial.user_attrs.get("error") for trial in study.trials}
        raise AsklError(f"No trial could be fitted: {', '.join(map(str, reasons))}")
    screen.notes.print(_layout(study, error))
    return study


def make_sampler(seed: int) -> Any:
    """Make a sampler that avoids the settings of running trials, in all processes."""
    return require("optuna", "tune").samplers.TPESampler(seed=seed, constant_liar=True)


def without_password(storage: str | None) -> str:
    """Hide the password in the address of a database.

    Examples
    --------
    >>> without_password("postgresql+psycopg://me:secret@host:5432/studies")
    'postgresql+psycopg://me:***@host:5432/studies'
    """
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", storage or "")


def _create_study(plan: StudyPlan, n_tries: int = 5) -> Any:
    """Create or load a study; try again if another process is creating the same tables."""
    errors = require("sqlalchemy.exc", "tune")
    create = require("optuna", "tune").create_study
    for _ in range(n_tries - 1):
        try:
            return create(storage=plan.storage, study_name=plan.name, load_if_exists=True)
        except (errors.IntegrityError, errors.ProgrammingError):
            time.sleep(1.0)
    return create(storage=plan.storage, study_name=plan.name, load_if_exists=True)


def open_study(plan: StudyPlan, what: str) -> Any:
    """Open a stored study, or create one whose first trial is near the defaults."""
    optuna = require("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = _create_study(plan)
    except Exception as error:  # databases and their drivers raise many kinds
        raise AsklError(
            f"The study {without_password(plan.storage)!r} cannot be opened: "
            f"{str(error).splitlines()[0]} "
            "The address of a file is sqlite:///study.db, with three slashes."
        ) from error
    if study.user_attrs.setdefault("what", what) != what:
        raise AsklError(
            f"The study {plan.name!r} is of {study.user_attrs['what']}; this one is of {what}. "
            "Name another by --study-name."
        )
    if not study.trials:
        study.set_user_attr("what", what)
        study.enqueue_trial(DEFAULTS)
    return study


# The first trial: defaults of the estimators that are not "auto".
DEFAULTS = {"dropout": 0.1, "max_epochs": 30, "scale_inputs": "robust"}


def _tell(study: Any, trial: Any, outcome: float | str) -> None:
    state = require("optuna", "tune").trial.TrialState
    if isinstance(outcome, str):
        trial.set_user_attr("error", outcome)
        study.tell(trial, state=state.FAIL)
    else:
        study.tell(trial, outcome)


def _completed(study: Any) -> list[Any]:
    return [trial for trial in study.get_trials(deepcopy=False) if trial.value is not None]


def _n_finished(study: Any) -> int:
    """Count the trials that ended; one of a killed process is still marked as running."""
    return sum(trial.state.is_finished() for trial in study.get_trials(deepcopy=False))


def _layout(study: Any, error: str) -> Lines:
    best = sorted(_completed(study), key=lambda trial: float(trial.value))[:SHOWN_TRIALS]
    lines = Lines(title=f"{_n_finished(study)} trials", box=SIMPLE_HEAD)
    names = list(best[0].params) if best else []
    for heading in ("trial", error, *names):
        lines.add_column(heading, justify="right")
    for trial in best:
        values = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in trial.params.values()]
        lines.add_row(str(trial.number), f"{trial.value:.4f}", *values)
    return lines
