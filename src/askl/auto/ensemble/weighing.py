"""The weights of candidates, from what they predicted of held-out rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from askl._typing import Array
from askl.auto.candidates import CandidateKey
from askl.auto.ensemble.selection import bag_weights, share_evenly
from askl.auto.execution.folds import Fold
from askl.auto.execution.trial import Problem, Trial
from askl.auto.settings import SearchSettings

# The trials of each candidate, one for each fold.
Trials = Mapping[CandidateKey, Sequence[Trial]]


class HeldOut(NamedTuple):
    """Held-out rows: what the weighted candidates predict of them, and their targets."""

    predictions: Array
    targets: Array


class Weighed(NamedTuple):
    """A weight for each candidate that has one, and their mean on held-out rows."""

    weights: dict[CandidateKey, float]
    held_out: HeldOut | None = None


def weigh_candidates(
    trials: Trials,
    folds: Sequence[Fold],
    problem: Problem,
    settings: SearchSettings,
    *,
    n_deep: int,
    n_bags: int,
) -> Weighed:
    """Weigh candidates on the folds that the best of them were tried on.

    Parameters
    ----------
    trials : mapping of CandidateKey to sequence of Trial
    folds : sequence of Fold
    problem : Problem
    settings : SearchSettings
    n_deep : int
        How many candidates were to be tried on all folds. If time ended within a fold, so that it
        has fewer, that fold does not count.
    n_bags : int
        Greedy selections of which the weights are the mean.
    """
    judged = _judge_alike(trials, n_deep)
    n_folds = len(next(iter(judged.values())))
    targets = np.concatenate([problem.targets[fold.held_out] for fold in folds[:n_folds]])
    predictions = [np.concatenate(parts) for parts in judged.values()]
    weights = bag_weights(
        predictions,
        targets,
        problem.error,
        n_rounds=settings.greedy_rounds,
        n_bags=n_bags,
        seed=problem.seed,
    )
    weights = share_evenly(
        weights,
        np.array([problem.error(each, targets) for each in predictions]),
        np.array([not problem.n_classes or pays_in_full(key, trials) for key in judged]),
        share=settings.even_share,
        n_best=settings.most_even,
        n_least=settings.least_even,
        tolerance=settings.even_tolerance,
    )
    mean = np.tensordot(weights, np.stack(predictions), axes=1)
    return Weighed(dict(zip(judged, weights.tolist(), strict=True)), HeldOut(mean, targets))


def _judge_alike(trials: Trials, n_deep: int) -> dict[CandidateKey, list[Array]]:
    """Return the predictions of the candidates that were tried on enough folds, of those folds."""
    known = {
        key: [trial.predictions for trial in each if trial.predictions is not None]
        for key, each in trials.items()
    }
    depths = sorted((len(parts) for parts in known.values()), reverse=True)
    n_folds = max(1, depths[min(n_deep, len(depths)) - 1])
    return {key: parts[:n_folds] for key, parts in known.items() if len(parts) >= n_folds}


def pays_in_full(key: CandidateKey, trials: Trials) -> bool:
    """Return whether a candidate was trained for all epochs, and is the better for it.

    For classes, only these share weight evenly: a solved head makes up for few epochs, and the
    head of a classifier is not solved.
    """
    short = trials.get(key.shortened)
    return not key.short and (not short or trials[key][0].error < short[0].error)
