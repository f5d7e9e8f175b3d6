"""Weights of an ensemble by greedy selection on held-out predictions.

The method is that of Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries
of models" (2004): with replacement, and averaged over random halves of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askl._typing import Array
from askl.auto.execution.scoring import Error


def choose_weights(
    predictions: Sequence[Array], targets: Array, error: Error, *, n_rounds: int
) -> Array:
    """Weight models by greedy selection with replacement.

    Each round adds the model that lowers the error of the mean the most; a model's weight is its
    share of the rounds. The best mean of all rounds is returned, so a single model may win.

    Parameters
    ----------
    predictions : sequence of ndarray
        Held-out predictions of each model, all of one shape.
    targets : ndarray
    error : callable
        ``error(predictions, targets) -> float``, lower is better.
    n_rounds : int

    Returns
    -------
    ndarray of shape (n_models,)
        Nonnegative, of sum one.

    Examples
    --------
    >>> import numpy as np
    >>> from askl.auto.execution.scoring import squared_error
    >>> target = np.array([1.0, 2.0])
    >>> predictions = [target + 1.0, target - 1.0, target + 5.0]
    >>> choose_weights(predictions, target, squared_error, n_rounds=4)
    array([0.5, 0.5, 0. ])
    """
    total = np.zeros_like(predictions[0])
    counts = np.zeros(len(predictions), dtype=int)
    best_counts, least = counts, np.inf
    for n_chosen in range(1, n_rounds + 1):
        errors = [error((total + each) / n_chosen, targets) for each in predictions]
        chosen = int(np.argmin(errors))
        total = total + predictions[chosen]
        counts = counts + (np.arange(len(counts)) == chosen)
        if errors[chosen] < least:
            best_counts, least = counts, errors[chosen]
    weights: Array = best_counts / best_counts.sum()
    return weights


def bag_weights(
    predictions: Sequence[Array],
    targets: Array,
    error: Error,
    *,
    n_rounds: int,
    n_bags: int,
    seed: int,
) -> Array:
    """Weight models by the mean of greedy weights on random halves of the rows.

    One greedy selection follows the noise of its rows. If the selections on all halves agree, their
    mean is the same selection; otherwise it is nearer to equal weights. Weights of less than half a
    round are set to zero.

    Parameters
    ----------
    predictions, targets, error, n_rounds :
        As of :func:`choose_weights`.
    n_bags : int
    seed : int

    Returns
    -------
    ndarray of shape (n_models,)
        Nonnegative, of sum one.

    Examples
    --------
    >>> import numpy as np
    >>> from askl.auto.execution.scoring import squared_error
    >>> target = np.arange(10.0)
    >>> predictions = [target + 1.0, target - 1.0, target + 5.0]
    >>> bag_weights(predictions, target, squared_error, n_rounds=4, n_bags=3, seed=0)
    array([0.5, 0.5, 0. ])
    """
    random = np.random.default_rng(seed)
    half = max(1, len(targets) // 2)
    weights = np.zeros(len(predictions))
    for _ in range(n_bags):
        rows = random.permutation(len(targets))[:half]
        bag = [each[rows] for each in predictions]
        weights += choose_weights(bag, targets[rows], error, n_rounds=n_rounds) / n_bags
    weights[weights < min(1.0 / n_rounds, weights.max()) / 2.0] = 0.0
    result: Array = weights / weights.sum()
    return result


def share_evenly(
    weights: Array,
    errors: Array,
    among: Array,
    *,
    share: float,
    n_best: int,
    n_least: int,
    tolerance: float,
) -> Array:
    """Give a share of the weight evenly to the best few models that are nearly as good as the best.

    Which of them greedy selection prefers is in part chance; their mean does not depend on it.
    If fewer than ``n_least`` models are nearly as good, the weights do not change.

    Parameters
    ----------
    weights, errors : ndarray of shape (n_models,)
    among : ndarray of bool of shape (n_models,)
        The models that may be given some of it.
    share : float
        The share of the weight.
    n_best, n_least : int
        To at most, and to at least, this many models.
    tolerance : float
        Only to those whose error is at most this many times the least of all.

    Returns
    -------
    ndarray of shape (n_models,)
        Of the same sum.

    Examples
    --------
    >>> import numpy as np
    >>> weights, errors = np.array([1.0, 0.0, 0.0]), np.array([1.0, 1.1, 2.0])
    >>> rule = {"share": 0.5, "n_best": 12, "tolerance": 1.25}
    >>> share_evenly(weights, errors, errors > 0.0, n_least=2, **rule)
    array([0.75, 0.25, 0.  ])
    >>> share_evenly(weights, errors, errors > 0.0, n_least=3, **rule)
    array([1., 0., 0.])
    """
    near = among & (errors <= tolerance * errors.min())
    if near.sum() < n_least:
        return weights
    best = np.flatnonzero(near)[np.argsort(errors[near], kind="stable")][:n_best]
    shared = (1.0 - share) * weights
    shared[best] += share * weights.sum() / len(best)
    return shared


def allocate_members(weights: Array, n_members: int) -> Array:
    """Divide a number of members among models by their weights, the heaviest first.

    Every weight above zero gets one, as far as they go.

    Examples
    --------
    >>> import numpy as np
    >>> allocate_members(np.array([0.7, 0.3, 0.0]), 4)
    array([3, 1, 0])
    >>> allocate_members(np.array([0.3, 0.7, 0.0]), 1)
    array([0, 1, 0])
    """
    heaviest = np.argsort(-weights, kind="stable")[:n_members]
    counts = np.zeros(len(weights), dtype=int)
    counts[heaviest] = weights[heaviest] > 0.0
    while counts.sum() < n_members:  # the next goes to the model with the most weight a member
        counts[np.argmax(weights / np.maximum(counts, 1))] += 1
    return counts
