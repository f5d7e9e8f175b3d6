"""Scores on given rows, with bootstrap intervals that are paired between models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from askl._typing import Array
from askl.preprocessing.labels import class_indices

N_BOOTSTRAP = 500
LEVELS = (0.025, 0.975)

# A score as a function of row weights, of shape (n_draws, n_samples): all ones for the score
# itself, or the counts of bootstrap draws. The result has shape (n_draws,).
Measure = Callable[[Array], Array]


class Score(NamedTuple):
    """One score of one model.

    Attributes
    ----------
    name : str
    larger_is_better : bool
    value : float
    low, high : float
        A 95 % bootstrap interval over rows.
    draws : ndarray of shape (n_draws,)
        The bootstrap. Draws of two models at the same position are of the same rows.
    """

    name: str
    larger_is_better: bool
    value: float
    low: float
    high: float
    draws: Array


def _mean(values: Array) -> Measure:
    return lambda weights: weights @ values / weights.sum(axis=1)


def _class_mean(values: Array, labels: Array) -> Measure:
    """Average the means within each class; a class without rows is left out."""
    members = labels[:, None] == np.unique(labels)

    def measure(weights: Array) -> Array:
        sizes = weights @ members
        hits = weights @ (members * values[:, None])
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nanmean(np.where(sizes > 0, hits / sizes, np.nan), axis=1))

    return measure


def _explained(errors: Array, targets: Array) -> Measure:
    """R²: one minus squared error over variance, outputs together."""

    def measure(weights: Array) -> Array:
        total = weights.sum(axis=1)
        means = weights @ targets / total[:, None]
        variance = (weights @ targets**2 / total[:, None] - means**2).sum(axis=1)
        return np.asarray(1.0 - weights @ errors / total / np.maximum(variance, 1e-300))

    return measure


def _classification_measures(model: Any, X: Any, y: Array) -> dict[str, tuple[Measure, bool]]:
    truth = class_indices(y, model.classes_)
    hits = (model.predict(X) == y).astype(float)
    measures: dict[str, tuple[Measure, bool]] = {
        "accuracy": (_mean(hits), True),
        "balanced accuracy": (_class_mean(hits, y), True),
    }
    if hasattr(model, "predict_proba"):
        chosen = model.predict_proba(X)[np.arange(len(y)), truth]
        measures["log loss"] = (_mean(-np.log(np.maximum(chosen, 1e-15))), False)
    return measures


def _regression_measures(model: Any, X: Any, y: Array) -> dict[str, tuple[Measure, bool]]:
    targets = y.reshape(len(y), -1).astype(float)
    residuals = model.predict(X).reshape(targets.shape) - targets
    squares = (residuals**2).mean(axis=1)
    return {
        "RMSE": (lambda weights: np.sqrt(_mean(squares)(weights)), False),
        "MAE": (_mean(np.abs(residuals).mean(axis=1)), False),
        "R²": (_explained((residuals**2).sum(axis=1), targets), True),
    }


def compute_scores(model: Any, X: Any, y: Any) -> list[Score]:
    """Score a fitted model on some rows, each score with a 95 % bootstrap interval.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=50, random_state=0).fit(X, y)
    >>> [score.name for score in compute_scores(model, X, y)]
    ['accuracy', 'balanced accuracy', 'log loss']
    """
    y = np.asarray(y)
    kind = _classification_measures if hasattr(model, "classes_") else _regression_measures
    everything = np.ones((1, len(y)))
    rng = np.random.default_rng(0)  # the same resamples for every model
    counts = rng.multinomial(len(y), np.full(len(y), 1.0 / len(y)), size=N_BOOTSTRAP).astype(float)
    scores = []
    for name, (measure, larger_is_better) in kind(model, X, y).items():
        draws = measure(counts)
        low, high = np.quantile(draws, LEVELS)
        value = float(measure(everything)[0])
        scores.append(Score(name, larger_is_better, value, float(low), float(high), draws))
    return scores


def is_tied(score: Score, best: Score) -> bool:
    """Return True if a score is not significantly worse than the best one, by paired bootstrap."""
    low, high = np.quantile(score.draws - best.draws, LEVELS)
    return bool(low <= 0.0 <= high)


def best_of(scores: Mapping[str, Score]) -> str:
    """Return the name of the model whose score is best."""
    sign = 1.0 if next(iter(scores.values())).larger_is_better else -1.0
    return max(scores, key=lambda name: sign * scores[name].value)
