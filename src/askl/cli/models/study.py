"""The search of ``askl tune``: ask a study for settings, judge them in parallel, tell it."""

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

from askl.cli.commands.fit import final_step
from askl.cli.console import Screen
from askl.cli.files import require
from askl.cli.tabular.problems import Method, Problem, make_estimator
from askl.errors import AsklError

N_FOLDS = 3
SHOWN_TRIALS = 8


class Search(NamedTuple):
    """What a search is told: how far to go, and where to keep and to run it."""

    n_trials: int
    timeout: float | None
    storage: str | None
    name: str
    n_jobs: int


def propose(trial: Any, fixed: Mapping[str, Any], regression: bool) -> dict[str, Any]:
    """Draw a setting: what the accuracy depends on most and the user did not fix."""
    scalings = ["robust", "quantile", "robust+quantile", "bins"]
    space: dict[str, Callable[[str], Any]] = {
        "frequency_scale": lambda name: trial.suggest_float(name, 0.1, 4.0, log=True),
        "learning_rate": lambda name: trial.suggest_float(name, 1e-3, 0.1, log=True),
        "dropout": lambda name: trial.suggest_float(name, 0.0, 0.5),
        "max_epochs": lambda name: trial.suggest_int(name, 10, 60),
        "scale_inputs": lambda name: trial.suggest_categorical(name, scalings),
        "head_penalty": lambda name: trial.suggest_float(name, 1e-7, 1e-2, log=True),
    }
    if regression:  # an exact head chooses its strength by itself
        del space["head_penalty"]
    drawn = {name: draw(name) for name, draw in space.items() if name not in fixed}
    return {**drawn, **fixed}


class Measure(NamedTuple):
    """What a search makes small: its name, scikit-learn's name of a score, and how to turn it."""

    name: str
    scoring: str
    error: Callable[[float], float]


def measure_of(problem: Problem, estimator: Any) -> Measure:
    """Choose what to judge an estimator by."""
    if problem.regression:
        return Measure("RMSE", "neg_root_mean_squared_error", lambda score: -score)
    if hasattr(final_step(estimator), "predict_proba"):
        return Measure("log loss", "neg_log_loss", lambda score: -score)
    return Measure("share of errors", "accuracy", lambda score: 1.0 - score)


def judge(problem: Problem, estimator: Any) -> float:
    """Cross-validate an estimator."""
    measure = measure_of(problem, estimator)
    # A fold sent on from one worker to another would be lost with either of them.
    with parallel_config(backend="sequential"):
        folds = cross_val_score(
            estimator,
            problem.X,
            problem.y,
            cv=N_FOLDS,
            scoring=measure.scoring,
            error_score="raise",
        )
    return measure.error(float(folds.mean()))


def _try(X: Any, y: Any, problem: Problem, estimator: Any, number: int) -> tuple[int, float | str]:
    try:
        return number, judge(problem._replace(X=X, y=y), estimator)
    except ValueError as error:
        return number, str(error)


def run_search(
    screen: Screen,
    problem: Problem,
    method: Method,
    fixed: Mapping[str, Any],
    search: Search,
    *,
    seed: int,
    share: Callable[[Any], Any],
) -> Any:
    """Ask for settings, judge them in parallel, tell the study; it alone knows the storage."""
    measure = measure_of(problem, make_estimator(problem, method, fixed, seed=seed)).name
    what = f"{measure} of {method.value}, {problem.X.shape} inputs, target {problem.target}"
    study = open_study(search, what)
    deadline = time.monotonic() + (search.timeout or float("inf"))
    X, y = share(problem.X), share(problem.y)
    without_rows = problem._replace(X=problem.X[:0], y=problem.y[:0])

    def ask() -> Any:
        with lock:
            if _n_finished(study) + len(asked) >= search.n_trials or time.monotonic() >= deadline:
                return None
            trial = study.ask()
            asked[trial.number] = trial
            return trial

    def tasks() -> Iterator[Any]:
        while (trial := ask()) is not None:
            # Seeded by the number: a search that goes on, here or elsewhere, repeats nothing.
            study.sampler = make_sampler(seed + trial.number)
            setting = propose(trial, fixed, problem.regression)
            estimator = make_estimator(problem, method, setting, seed=seed)
            yield delayed(_try)(X, y, without_rows, estimator, trial.number)

    asked: dict[int, Any] = {}
    lock = Lock()  # joblib asks for tasks in another thread than the one that reads results
    with screen.warnings(), Live(console=screen.notes, transient=True) as live:
        parallel = Parallel(
            n_jobs=search.n_jobs,
            return_as="generator_unordered",
            pre_dispatch="n_jobs",
            batch_size=1,
        )
        for number, outcome in parallel(tasks()):
            with lock:
                _tell(study, asked.pop(number), outcome)
            live.update(_layout(study, measure))
    if not _completed(study):
        errors = {trial.user_attrs.get("error") for trial in study.trials}
        raise AsklError(f"No trial could be fitted: {', '.join(map(str, errors))}")
    screen.notes.print(_layout(study, measure))
    return study


def make_sampler(seed: int) -> Any:
    """Make a sampler that keeps away from what others, in any process, are trying just now."""
    return require("optuna", "tune").samplers.TPESampler(seed=seed, constant_liar=True)


def without_password(storage: str | None) -> str:
    """Hide the password in the address of a database.

    Examples
    --------
    >>> without_password("postgresql+psycopg://me:secret@host:5432/studies")
    'postgresql+psycopg://me:***@host:5432/studies'
    """
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", storage or "")


def _create_study(search: Search, n_tries: int = 5) -> Any:
    """Create or load a study, again if another process was just making the same tables."""
    errors = require("sqlalchemy.exc", "tune")
    create = require("optuna", "tune").create_study
    for _ in range(n_tries - 1):
        try:
            return create(storage=search.storage, study_name=search.name, load_if_exists=True)
        except (errors.IntegrityError, errors.ProgrammingError):
            time.sleep(1.0)
    return create(storage=search.storage, study_name=search.name, load_if_exists=True)


def open_study(search: Search, what: str) -> Any:
    """Open the study of a search, or make one that begins near the defaults."""
    optuna = require("optuna", "tune")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = _create_study(search)
    except Exception as error:  # whatever a database or its driver may raise
        raise AsklError(
            f"The study {without_password(search.storage)!r} cannot be opened: "
            f"{str(error).splitlines()[0]} "
            "A file is named sqlite:///study.db, with three slashes."
        ) from error
    if study.user_attrs.setdefault("what", what) != what:
        raise AsklError(
            f"The study {search.name!r} is of another search: {study.user_attrs['what']}; this one "
            f"is of {what}. Name another by --study-name."
        )
    if not study.trials:
        study.set_user_attr("what", what)
        study.enqueue_trial(DEFAULTS)
    return study


# Those of the estimators' defaults that are numbers, not "auto".
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
    """Count trials that ended; one that a killed process left running did not."""
    return sum(trial.state.is_finished() for trial in study.get_trials(deepcopy=False))


def _layout(study: Any, measure: str) -> Lines:
    best = sorted(_completed(study), key=lambda trial: float(trial.value))[:SHOWN_TRIALS]
    lines = Lines(title=f"{_n_finished(study)} trials", box=SIMPLE_HEAD)
    names = list(best[0].params) if best else []
    for heading in ("trial", measure, *names):
        lines.add_column(heading, justify="right")
    for trial in best:
        values = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in trial.params.values()]
        lines.add_row(str(trial.number), f"{trial.value:.4f}", *values)
    return lines
