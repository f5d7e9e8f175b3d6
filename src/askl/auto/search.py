"""The search of an automatic fit: successive halving on held-out rows, within a budget.

Successive halving (Jamieson and Talwalkar, 2016) gives many candidates little work and the best of
them more. Its rungs here: for a share of the epochs on some rows of one fold; to the end on that
fold; on all folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from askl.auto.candidates import CandidateKey, Candidates, shorten
from askl.auto.ensemble.members import count_members
from askl.auto.ensemble.weighing import HeldOut, Weighed, weigh_candidates
from askl.auto.execution.folds import Fold, make_folds
from askl.auto.execution.scheduler import Scheduler
from askl.auto.execution.trial import Trial
from askl.auto.settings import SearchSettings
from askl.errors import AsklError


class SearchResult(NamedTuple):
    """What a search found.

    Attributes
    ----------
    weights : dict of CandidateKey to float
        Of the candidates that are to be members.
    held_out : HeldOut or None
        What they predict of held-out rows; None where nothing was held out.
    first_rung : dict of CandidateKey to Trial
        The trials on some rows, for a share of the epochs.
    trials : dict of CandidateKey to list of Trial
        Those on all rows, one for each fold.
    """

    weights: dict[CandidateKey, float]
    held_out: HeldOut | None
    first_rung: dict[CandidateKey, Trial]
    trials: dict[CandidateKey, list[Trial]]


class Search:
    """A search over candidates.

    Parameters
    ----------
    candidates : Candidates
    scheduler : Scheduler
    settings : SearchSettings
    n_members : int
        How many members the ensemble is to have.
    """

    def __init__(
        self,
        candidates: Candidates,
        scheduler: Scheduler,
        settings: SearchSettings,
        *,
        n_members: int = 1,
    ) -> None:
        self.candidates, self.scheduler = candidates, scheduler
        self.settings, self.n_members = settings, n_members
        problem = scheduler.problem
        self.folds = make_folds(problem.targets, problem.n_classes, problem.seed, settings)
        least = settings.n_all_folds
        most = least * settings.rows_to_trust_one_fold / problem.n_samples
        self.n_all_folds = int(np.clip(most, least, 2 * least))
        self.first_rung: dict[CandidateKey, Trial] = {}
        self.trials: dict[CandidateKey, list[Trial]] = {}
        self.expected: dict[CandidateKey, int] = {}  # members by what is known so far

    def run(self) -> SearchResult:
        """Try the candidates, and weigh them; without rows to hold out the first is taken."""
        full = [key for key in self.candidates.parameters if not key.short]
        if not self.folds or len(full) == 1:
            return self._result(Weighed({full[0]: 1.0}))
        self._try_short(key for key in full if self._is_first_choice(key))
        self._try_short(self._symmetric_forms())
        self._check_any_trained()
        if rank(self.first_rung)[0].symmetric:
            self.scheduler.budget.extend(self.settings.symmetry_factor)
        self._try_best_in_full()
        self._try_short(self._variants())
        self._try_best_in_full()
        if self._full_training_pays():
            others = [key for key in rank(self.first_rung) if key not in self.trials]
            self._try_fold(0, others[: self.settings.n_full - self.settings.n_first_full])
        return self._result(self._try_other_folds() if len(self.trials) > 1 else self._best_short())

    def _result(self, weighed: Weighed) -> SearchResult:
        return SearchResult(weighed.weights, weighed.held_out, self.first_rung, self.trials)

    def _is_first_choice(self, key: CandidateKey) -> bool:
        return not key.symmetric and not self.candidates.parents[key.name]

    def _better_part(self) -> list[CandidateKey]:
        """Return the better half of the candidates that are no variants, the best first."""
        best = [key for key in rank(self.first_rung) if self._is_first_choice(key)]
        return best[: int(np.ceil(self.settings.promoted_share * len(best)))]

    def _symmetric_forms(self) -> list[CandidateKey]:
        forms = [key._replace(symmetric=True) for key in self._better_part()]
        return [key for key in forms if key in self.candidates.parameters]

    def _variants(self) -> list[CandidateKey]:
        """Return the variants of the better half, those of the best first.

        They use the symmetries of the table where their parent is the better for it.
        """
        variants = []
        for parent in self._better_part():
            twin = self.first_rung.get(parent._replace(symmetric=True))
            symmetric = twin is not None and twin.error < self.first_rung[parent].error
            variants += [
                CandidateKey(name, symmetric=symmetric)
                for name, of_parent in self.candidates.parents.items()
                if of_parent == parent.name
            ]
        return variants

    def _check_any_trained(self) -> None:
        if all(trial.failure for trial in self.first_rung.values()):
            failures = sorted({trial.failure for trial in self.first_rung.values()})
            raise AsklError(f"No candidate could be trained: {'; '.join(failures)}")

    def _full_training_pays(self) -> bool:
        """Return whether any candidate is better after all epochs than after a share of them."""
        errors = {key: trials[0].error for key, trials in self.trials.items()}
        return any(errors[key] > errors.get(key.full, np.inf) for key in errors)

    def _try_short(self, keys: Iterable[CandidateKey]) -> None:
        """The first rung: as many steps as the short form has on all rows, if epochs allow it."""
        whole = self.folds[0]
        fold = whole.first_rows(self.settings.first_rung_rows)
        share = min(1.0, self.settings.short_share * len(whole.train) / len(fold.train))
        parameters = self.candidates.parameters
        shortened = {key.shortened: shorten(parameters[key], share) for key in keys}
        # Whatever there is time for, the first candidate is tried.
        tried = list(self._run(fold, shortened, first_in_any_case=not self.first_rung))
        self.first_rung.update({trial.key.full: trial for trial in tried})
        if len(fold.train) == len(whole.train):
            self.trials.update({trial.key: [trial] for trial in tried})

    def _try_best_in_full(self) -> None:
        """Try the best few on all rows: to the end and, where that was not done, in short."""
        best = rank(self.first_rung)[: self.settings.n_first_full]
        for forms in ([key.shortened for key in best], best):
            self._try_fold(0, [key for key in forms if key not in self.trials])

    def _try_fold(self, number: int, keys: Iterable[CandidateKey]) -> None:
        parameters = {key: self.candidates.parameters[key] for key in keys}
        for trial in self._run(self.folds[number], parameters):
            self.trials.setdefault(trial.key, []).append(trial)

    def _run(
        self,
        fold: Fold,
        parameters: Mapping[CandidateKey, dict[str, Any]],
        *,
        first_in_any_case: bool = False,
    ) -> Iterable[Trial]:
        return self.scheduler.run_trials(
            fold, parameters, reserve=self.reserve(), first_in_any_case=first_in_any_case
        )

    def _try_other_folds(self) -> Weighed:
        finished = self._rank_by_first_fold()[: self.n_all_folds]
        for number in range(1, len(self.folds)):
            weights = self._weigh(self.settings.n_bags_on_the_way).weights
            self.expected = count_members(weights, self.n_members, self.candidates.parameters)
            self._try_fold(number, finished)
        return self._weigh(self.settings.n_bags)

    def _weigh(self, n_bags: int) -> Weighed:
        return weigh_candidates(
            self.trials,
            self.folds,
            self.scheduler.problem,
            self.settings,
            n_deep=self.n_all_folds,
            n_bags=n_bags,
        )

    def _best_short(self) -> Weighed:
        """Take the best of the first rung, where there was no time to compare any two further."""
        best = rank(self.first_rung)[0]
        predictions = self.first_rung[best].predictions
        if predictions is None:
            return Weighed({best: 1.0})
        targets = self.scheduler.problem.targets[self.folds[0].held_out]
        return Weighed({best: 1.0}, HeldOut(predictions, targets))

    def _rank_by_first_fold(self) -> list[CandidateKey]:
        return rank({key: trials[0] for key, trials in self.trials.items()})

    def reserve(self) -> float:
        """Estimate the seconds of the members from what is known so far."""
        budget, costs = self.scheduler.budget, self.scheduler.costs
        if budget.total is None:
            return 0.0
        most = self.settings.most_member_share * budget.total / budget.unit_cost
        best = self._rank_by_first_fold()[: self.settings.n_all_folds]
        if not best:
            return most
        # Before there are weights, they are taken to be equal for the best few.
        counts: Mapping[CandidateKey, float] = self.expected or dict.fromkeys(
            best, self.n_members / len(best)
        )
        n_samples, parameters = self.scheduler.problem.n_samples, self.candidates.parameters
        return min(
            most,
            sum(n * costs.estimate(parameters[key], n_samples) for key, n in counts.items() if n),
        )


def rank(trials: Mapping[CandidateKey, Trial]) -> list[CandidateKey]:
    """Order the candidates that could be trained by their error, the best first."""
    trained = [key for key, trial in trials.items() if not trial.failure]
    return sorted(trained, key=lambda key: trials[key].error)
