"""Successive halving over a portfolio of starts, on held-out rows and within a time budget."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from joblib import Memory, Parallel, delayed
from sklearn.model_selection import KFold, StratifiedKFold

from askl._typing import Array
from askl.auto.budget import ROWS_TO_TRUST_A_FOLD, Budget
from askl.auto.candidates import SYMMETRIC, Candidate
from askl.auto.cost_model import training_seconds
from askl.auto.selection import allocate_members, bag_weights, share_evenly
from askl.auto.trial import Problem, Trial, make_model, train_one, try_settings
from askl.errors import AsklError
from askl.preprocessing.input_scaling import count_scaled

# A fifth of the rows is held out. Where rows are few, more fifths are, one after the other.
N_FOLDS = 5
ROWS_TO_JUDGE = 40_000
# How long to train is chosen too: every start has a brief form, of this share of its epochs. Where
# targets are noisy it is the better one, and the first rung tries all starts in it. Still fewer
# steps would favour starts that learn fast over those that learn well.
BRIEF_SHARE = 0.25
BRIEF = ", brief"
# The first rung has so many rows at most.
FIRST_ROWS = 10_000
# Where the best of them is one that uses symmetries, these are worth so many times the work.
SYMMETRIC_SHARE = 1.25
# How many starts go on to all epochs: so many where that paid for the first few of them. How many
# of either form go on to all folds: up to twice as many of few rows, of which one fold is a poor
# judge.
PROBES = 4
SECOND_RUNG = 7
THIRD_RUNG = 6
# Members are left the time they are expected to take, up to this share of all of it.
MEMBERS_SHARE = 0.4
# With fewer rows, or with fewer of some class than folds, nothing is held out.
LEAST_ROWS = 50
# Weights are the mean of so many greedy selections, of so many rounds each.
N_BAGS = 20
N_BAGS_ON_THE_WAY = 5
GREEDY_ROUNDS = 12
# Half of the weight goes evenly to the best dozen, of those nearly as good as the best, where there
# are three or more of them. Of classes to those alone that learned to the end, and are the better
# for it: an exact head makes up for few epochs, and descent does not.
EVEN_SHARE = 0.5
EVEN_BEST = 12
EVEN_LEAST = 3
EVEN_TOLERANCE = 1.25


class Job(NamedTuple):
    """A training to come: its settings' name, the seconds it is estimated to take, and the call."""

    name: str
    work: float
    call: Any


class Search:
    """The rungs of one automatic fit, and what was learned on them.

    Parameters
    ----------
    problem : Problem
    portfolio : mapping of str to Candidate
    clock : Budget
    fixed : mapping
        Parameters of every model.
    n_members : int
        How many members the ensemble is to have.
    n_jobs, memory :
        joblib's: how many fits at a time, and where to keep finished ones.
    on_fit : callable
        Called with a line about every finished fit.

    Attributes
    ----------
    settings : dict
        Parameters of the estimator for every start, and for its brief form.
    first : dict of str to Trial
        The first rung: every start, briefly, on some rows.
    trials : dict of str to list of Trial
        Those on all rows, one for each fold.
    held_out : tuple of ndarray, or None
        The ensemble's predictions of held-out rows, and their targets.
    expected : ndarray or None
        How many members of each of the settings there would be, by what is known so far.
    """

    def __init__(
        self,
        problem: Problem,
        portfolio: Mapping[str, Candidate],
        clock: Budget,
        fixed: Mapping[str, Any],
        *,
        n_members: int = 1,
        n_jobs: int | None = None,
        memory: Memory | None = None,
        on_fit: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.problem, self.clock, self.on_fit = problem, clock, on_fit
        n_samples, n_features = problem.X.shape
        task = "classification" if problem.n_classes else "regression"
        self.settings: dict[str, dict[str, Any]] = {}
        for name, start in portfolio.items():
            settings = {**fixed, **start.settings(n_features, n_samples, task)}
            self.settings[name] = settings
            self.settings[name + BRIEF] = _shorten(settings, BRIEF_SHARE)
        self.portfolio = portfolio
        self.n_members, self.n_jobs, self.memory = n_members, n_jobs, memory or Memory(None)
        self.folds = make_folds(problem)
        self._n_inputs: dict[str, int] = {}
        wanted = THIRD_RUNG * ROWS_TO_TRUST_A_FOLD / n_samples
        self.third_rung = int(np.clip(wanted, THIRD_RUNG, 2 * THIRD_RUNG))
        self.first: dict[str, Trial] = {}
        self.trials: dict[str, list[Trial]] = {}
        self.held_out: tuple[Array, Array] | None = None
        self.expected: Array | None = None

    def run(self) -> Array:
        """Climb the rungs, and return a weight for each of the settings, in their order."""
        names = list(self.settings)
        if not self.folds or len(self.portfolio) == 1:
            return _only(0, len(names))
        self._first_rung(self._primaries())
        self._first_rung(self._symmetric())
        if all(trial.failure for trial in self.first.values()):
            failures = sorted({trial.failure for trial in self.first.values()})
            raise AsklError(f"No start of the portfolio could be trained: {'; '.join(failures)}")
        if _best(self.first)[0].endswith(SYMMETRIC):
            self.clock.extend(SYMMETRIC_SHARE)
        self._probe()
        self._first_rung(self._variants())
        self._probe()
        best = _best(self.first)
        if self._pays_to_go_on():
            others = [name for name in best if name not in self.trials]
            self._try_fold(0, others[: SECOND_RUNG - PROBES])
        if len(self.trials) < 2:  # no time to compare any two: the first rung decides
            first = self.first[best[0]]
            if first.predictions is not None:
                self.held_out = first.predictions, self.problem.targets[self.folds[0][1]]
            return _only(names.index(best[0]), len(names))
        finished = _best({name: trials[0] for name, trials in self.trials.items()})
        for fold in range(1, len(self.folds)):
            self.expected = allocate_members(self._weigh(names, N_BAGS_ON_THE_WAY), self.n_members)
            self._try_fold(fold, finished[: self.third_rung])
        return self._weigh(names, N_BAGS)

    def _pays_to_go_on(self) -> bool:
        """Say whether any start is better after all epochs than it was after a few."""
        errors = {name: trials[0].error for name, trials in self.trials.items()}
        return any(errors[name] > errors.get(name.removesuffix(BRIEF), np.inf) for name in errors)

    def _primaries(self) -> list[str]:
        return [name for name, start in self.portfolio.items() if not start.follows]

    def _probe(self) -> None:
        """Train the best few on all rows: to the end and, where that is not done, briefly."""
        best = _best(self.first)[:PROBES]
        for form in (BRIEF, ""):
            self._try_fold(0, [name + form for name in best if name + form not in self.trials])

    def _symmetric(self) -> list[str]:
        """Name what uses the symmetries of the table, of the better half of the starts."""
        names = [name + SYMMETRIC for name in self._better_half()]
        return [name for name in names if name in self.portfolio]

    def _variants(self) -> list[str]:
        """Name the variants of the better half of the starts, those of the best first.

        They use the symmetries of the table where the start is the better for it.
        """
        variants = []
        for parent in self._better_half():
            twin = self.first.get(parent + SYMMETRIC)
            ending = SYMMETRIC if twin and twin.error < self.first[parent].error else ""
            followers = [name for name, start in self.portfolio.items() if start.follows == parent]
            variants += [name + ending for name in followers if name != parent + SYMMETRIC]
        return variants

    def _better_half(self) -> list[str]:
        """Name the better half of the starts that are no variants, the best first."""
        primaries = set(self._primaries())
        best = [name for name in _best(self.first) if name in primaries]
        return best[: (len(best) + 1) // 2]

    def _first_rung(self, names: list[str]) -> None:
        train, held_out = self.folds[0]
        rows = train[:FIRST_ROWS]
        # As many steps as the brief form has on all rows, as far as all epochs go.
        share = min(1.0, BRIEF_SHARE * len(train) / len(rows))
        settings = {name: _shorten(self.settings[name], share) for name in names}
        tried = {trial.name: trial for trial in self._run(0, settings, rows, held_out)}
        self.first.update(tried)
        if len(rows) == len(train):
            self.trials.update({name + BRIEF: [trial] for name, trial in tried.items()})

    def _try_fold(self, fold: int, names: list[str]) -> None:
        settings = {name: self.settings[name] for name in names}
        for trial in self._run(fold, settings, *self.folds[fold]):
            self.trials.setdefault(trial.name, []).append(trial)

    def _run(
        self, fold: int, settings: Mapping[str, dict[str, Any]], train: Array, held_out: Array
    ) -> Iterable[Trial]:
        """Try some settings on a fold, the most promising first, while there is time."""
        attempt = delayed(self.memory.cache(try_settings))
        jobs = [
            Job(
                name,
                self.estimate_seconds(each, len(train)),
                attempt(self.problem, train, held_out, name, fold, each),
            )
            for name, each in settings.items()
        ]
        # One start is tried in any case.
        for job, trial in self._in_time(jobs, self._reserve(), in_any_case=not self.first):
            self.on_fit(f"{trial.name}: {trial.failure or f'{trial.error:.4g}'}")
            yield trial._replace(estimated=job.work)

    def _in_time(
        self, jobs: Iterable[Job], reserve: float = 0.0, *, in_any_case: bool
    ) -> Iterator[tuple[Job, Any]]:
        """Run the jobs for which there is time beside a reserve, and the first in any case."""
        begun: list[Job] = []

        def affordable() -> Iterator[Any]:
            for job in jobs:
                if (in_any_case and not begun) or self.clock.allows(job.work + reserve):
                    self.clock.begin(job.work)
                    begun.append(job)
                    yield job.call

        # One job at a time is dispatched: whether there is time for it is asked when it begins.
        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator", pre_dispatch="n_jobs")
        for number, result in enumerate(parallel(affordable())):
            self.clock.end(begun[number].work, result.seconds)
            yield begun[number], result

    def estimate_seconds(self, settings: Mapping[str, Any], n_samples: int) -> float:
        """Foretell the seconds of a training; one that cannot begin takes none."""
        try:
            model = make_model(self.problem, settings)
            n_inputs = self._count_inputs(model.scale_inputs)
            return training_seconds(model, n_samples, n_inputs, self.problem.n_outputs)
        except ValueError:
            return 0.0

    def _count_inputs(self, scaling: str) -> int:
        if scaling not in self._n_inputs:
            self._n_inputs[scaling] = count_scaled(self.problem.X, scaling)
        return self._n_inputs[scaling]

    def _reserve(self) -> float:
        """Foretell the seconds of the members from what is known on the way."""
        if self.clock.budget is None:
            return 0.0
        most = MEMBERS_SHARE * self.clock.budget / self.clock.price
        best = _best({name: trials[0] for name, trials in self.trials.items()})[:THIRD_RUNG]
        if not best:
            return most
        if self.expected is not None:
            counts = dict(zip(self.settings, self.expected, strict=True))
        else:  # before there are weights, they are taken to be alike for the best few
            counts = dict.fromkeys(best, self.n_members / len(best))
        n_samples = len(self.problem.targets)
        estimated = sum(
            float(count) * self.estimate_seconds(self.settings[name], n_samples)
            for name, count in counts.items()
            if count
        )
        return min(most, estimated)

    def _weigh(self, names: list[str], n_bags: int) -> Array:
        """Weigh what was tried by its held-out predictions, on the folds that all of them saw."""
        judged = {
            name: [trial.predictions for trial in trials if trial.predictions is not None]
            for name, trials in self.trials.items()
        }
        depths = sorted((len(parts) for parts in judged.values()), reverse=True)
        # Time may have run out on the way through a fold: then it counts for none.
        n_folds = max(1, depths[min(self.third_rung, len(depths)) - 1])
        judged = {name: parts[:n_folds] for name, parts in judged.items() if len(parts) >= n_folds}
        targets = np.concatenate([self.problem.targets[rows] for _, rows in self.folds[:n_folds]])
        predictions = [np.concatenate(parts) for parts in judged.values()]
        weights = bag_weights(
            predictions,
            targets,
            self.problem.error,
            n_rounds=GREEDY_ROUNDS,
            n_bags=n_bags,
            seed=self.problem.seed,
        )
        weights = share_evenly(
            weights,
            np.array([self.problem.error(each, targets) for each in predictions]),
            np.array([self._may_share(name) for name in judged]),
            share=EVEN_SHARE,
            n_best=EVEN_BEST,
            n_least=EVEN_LEAST,
            tolerance=EVEN_TOLERANCE,
        )
        result = np.zeros(len(names))
        result[[names.index(name) for name in judged]] = weights
        self.held_out = np.tensordot(weights, np.stack(predictions), axes=1), targets
        return result

    def _may_share(self, name: str) -> bool:
        """Say whether settings may have a part of the weight that goes evenly."""
        if not self.problem.n_classes:
            return True
        briefly = self.trials.get(name + BRIEF)
        pays = not briefly or self.trials[name][0].error < briefly[0].error
        return pays and not name.endswith(BRIEF)

    def train_members(self, weights: Array) -> tuple[list[Any], Array]:
        """Train members on all rows, the heaviest starts first, while there is time."""
        counts = allocate_members(weights, self.n_members)
        names = list(self.settings)
        order = sorted(
            ((weights[index] / (copy + 1), index, copy) for index in range(len(names))
             for copy in range(counts[index])),
            key=lambda entry: (-entry[0], entry[1]),
        )  # fmt: skip
        train = delayed(self.memory.cache(train_one))
        n_samples = len(self.problem.targets)
        jobs = []
        for _, index, copy in order:
            settings = self.settings[names[index]]
            call = train(self.problem, settings, self.problem.seed + 1000 + copy)
            jobs.append(Job(names[index], self.estimate_seconds(settings, n_samples), call))
        members, kept = [], []
        for job, trained in self._in_time(jobs, in_any_case=True):
            self.on_fit(f"{job.name}: {trained.failure or 'trained on all rows'}")
            if trained.model is not None:
                members.append(trained.model)
                kept.append(names.index(job.name))
        if not members:
            raise AsklError(f"No member could be trained: {trained.failure}")
        shares = np.array([weights[index] / kept.count(index) for index in kept])
        return members, shares / shares.sum()


def _shorten(settings: Mapping[str, Any], share: float) -> dict[str, Any]:
    return {**settings, "max_epochs": max(1, round(share * settings["max_epochs"]))}


def _only(index: int, length: int) -> Array:
    weights = np.zeros(length)
    weights[index] = 1.0
    return weights


def _best(trials: Mapping[str, Trial]) -> list[str]:
    """Order the starts that could be trained by their error."""
    kept = [name for name, trial in trials.items() if not trial.failure]
    return sorted(kept, key=lambda name: trials[name].error)


def make_folds(problem: Problem) -> list[tuple[Array, Array]]:
    """Return (rows to train on, rows held out); none where there are too few rows."""
    n_samples = len(problem.targets)
    if n_samples < LEAST_ROWS:
        return []
    order = np.random.default_rng(problem.seed).permutation(n_samples)
    kind = KFold
    if problem.n_classes:
        if np.bincount(problem.targets, minlength=problem.n_classes).max() < N_FOLDS:
            return []
        kind = StratifiedKFold
    with warnings.catch_warnings():
        # Classes of fewer rows than folds cannot be in all of them.
        warnings.simplefilter("ignore", UserWarning)
        folds = list(kind(N_FOLDS).split(np.empty(n_samples), problem.targets[order]))
    n_wanted = int(np.clip(ROWS_TO_JUDGE // n_samples, 1, N_FOLDS))
    return [(order[train], order[held_out]) for train, held_out in folds[:n_wanted]]
