"""The trainings for which there is time: one after the other or several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from joblib import Memory, Parallel

from askl.auto.candidates import CandidateKey
from askl.auto.execution.budget import Budget
from askl.auto.execution.cost_model import CostModel
from askl.auto.execution.folds import Fold
from askl.auto.execution.interrupts import remember_interrupts
from askl.auto.execution.memory import open_memory, remembered
from askl.auto.execution.progress import show_trainings
from askl.auto.execution.trial import Problem, Trial, run_trial, train_model
from askl.auto.settings import CostConstants


class Job(NamedTuple):
    """A training to come: its candidate, the seconds it is estimated to take, and the call."""

    key: CandidateKey
    estimated_seconds: float
    call: Any


class Member(NamedTuple):
    """A candidate that was trained on all rows; where that failed, there is no model."""

    key: CandidateKey
    model: Any
    failure: str = ""


@contextmanager
def open_scheduler(
    problem: Problem,
    budget: Budget,
    constants: CostConstants,
    *,
    n_jobs: int | None,
    memory: str | Memory | None,
    title: str,
    verbose: int,
) -> Iterator[Scheduler]:
    """Yield a scheduler that shows its progress if ``verbose``, and ends when interrupted."""
    bar = show_trainings(title, budget) if verbose else nullcontext(lambda line: None)
    with remember_interrupts() as check, bar as show:

        def on_end(line: str) -> None:
            check()
            show(line)

        yield Scheduler(
            problem,
            CostModel(problem, constants),
            budget,
            n_jobs=n_jobs,
            memory=open_memory(memory),
            on_end=on_end,
        )


class Scheduler:
    """Runs trials and trains members while the budget allows it.

    Parameters
    ----------
    problem : Problem
    costs : CostModel
    budget : Budget
    n_jobs : int or None
        How many trainings at a time, by joblib.
    memory : joblib.Memory or None
        Where to keep finished ones.
    on_end : callable
        Called with a line about each training that has ended.
    """

    def __init__(
        self,
        problem: Problem,
        costs: CostModel,
        budget: Budget,
        *,
        n_jobs: int | None = None,
        memory: Memory | None = None,
        on_end: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.problem, self.costs, self.budget = problem, costs, budget
        self.n_jobs, self.memory, self.on_end = n_jobs, memory, on_end

    def run_trials(
        self,
        fold: Fold,
        parameters: Mapping[CandidateKey, dict[str, Any]],
        *,
        reserve: float = 0.0,
        first_in_any_case: bool = False,
    ) -> Iterator[Trial]:
        """Try candidates on a fold in their order, while there is time beside a reserve."""
        attempt = remembered(run_trial, self.memory)
        jobs = [
            Job(
                key,
                self.costs.estimate(each, len(fold.train)),
                attempt(self.problem, fold, key, each),
            )
            for key, each in parameters.items()
        ]
        for job, trial in self._run(jobs, reserve, first_in_any_case=first_in_any_case):
            self.on_end(f"{job.key}: {trial.failure or f'{trial.error:.4g}'}")
            yield trial._replace(estimated_seconds=job.estimated_seconds)

    def train_members(
        self, members: Iterable[tuple[CandidateKey, dict[str, Any], int]]
    ) -> Iterator[Member]:
        """Train (key, parameters, seed) on all rows while there is time, the first in any case."""
        train, n_samples = remembered(train_model, self.memory), self.problem.n_samples
        jobs = [
            Job(key, self.costs.estimate(each, n_samples), train(self.problem, each, seed))
            for key, each, seed in members
        ]
        for job, trained in self._run(jobs, first_in_any_case=True):
            self.on_end(f"{job.key}: {trained.failure or 'trained on all rows'}")
            yield Member(job.key, trained.model, trained.failure)

    def _run(
        self, jobs: Iterable[Job], reserve: float = 0.0, *, first_in_any_case: bool
    ) -> Iterator[tuple[Job, Any]]:
        begun: list[Job] = []

        def affordable() -> Iterator[Any]:
            for job in jobs:
                is_free = first_in_any_case and not begun
                if is_free or self.budget.allows(job.estimated_seconds + reserve):
                    self.budget.begin(job.estimated_seconds)
                    begun.append(job)
                    yield job.call

        # Jobs are dispatched one at a time: each is compared with the budget when it begins.
        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator", pre_dispatch="n_jobs")
        for number, result in enumerate(parallel(affordable())):
            self.budget.end(begun[number].estimated_seconds, result.seconds)
            yield begun[number], result
