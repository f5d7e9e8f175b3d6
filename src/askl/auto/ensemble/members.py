"""The members of an ensemble: how many of each candidate, what they cost, and their training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.auto.candidates import CandidateKey
from askl.auto.ensemble.selection import allocate_members
from askl.auto.execution.scheduler import Scheduler
from askl.auto.execution.trial import predict_model
from askl.errors import AsklError

# Members have seeds of their own: those of trials are the numbers of folds.
FIRST_SEED = 1000


class Members(NamedTuple):
    """Trained models and their weights, which sum to one."""

    models: list[Any]
    weights: Array


def count_members(
    weights: Mapping[CandidateKey, float], n_members: int, order: Iterable[CandidateKey]
) -> dict[CandidateKey, int]:
    """Divide members among candidates by their weights; of equal ones the first in the order."""
    keys = list(order)
    counts = allocate_members(np.array([weights.get(key, 0.0) for key in keys]), n_members)
    return dict(zip(keys, counts.tolist(), strict=True))


def train_members(
    weights: Mapping[CandidateKey, float],
    n_members: int,
    parameters: Mapping[CandidateKey, dict[str, Any]],
    scheduler: Scheduler,
) -> Members:
    """Train members on all rows, the heaviest candidates first, while there is time.

    Parameters
    ----------
    weights : mapping of CandidateKey to float
    n_members : int
        How many there are to be.
    parameters : mapping of CandidateKey to dict
        Of all candidates, in the order that decides between equal weights.
    scheduler : Scheduler
    """
    counts = count_members(weights, n_members, parameters)
    planned = _plan(weights, counts, parameters, scheduler.problem.seed + FIRST_SEED)
    models, keys, failure = [], [], ""
    for member in scheduler.train_members(planned):
        failure = failure or member.failure
        if member.model is not None:
            models.append(member.model)
            keys.append(member.key)
    if not models:
        raise AsklError(f"No member could be trained: {failure}")
    shares = np.array([weights[key] / keys.count(key) for key in keys])
    return Members(models, shares / shares.sum())


def _plan(
    weights: Mapping[CandidateKey, float],
    counts: Mapping[CandidateKey, int],
    parameters: Mapping[CandidateKey, dict[str, Any]],
    first_seed: int,
) -> Iterator[tuple[CandidateKey, dict[str, Any], int]]:
    """Order the members: of each candidate the first, second ... copy has a falling weight."""
    copies = [
        (weights[key] / (copy + 1), key, copy) for key in counts for copy in range(counts[key])
    ]
    for _, key, copy in sorted(copies, key=lambda entry: -entry[0]):
        yield key, parameters[key], first_seed + copy


def mean_prediction(
    models: Sequence[Any], weights: Sequence[float] | Array, inputs: Any, n_classes: int
) -> Array:
    """Average the members' predictions: numbers, or the probabilities of all classes."""
    parts = zip(weights, models, strict=True)
    return np.asarray(
        sum(weight * predict_model(model, inputs, n_classes) for weight, model in parts)
    )
