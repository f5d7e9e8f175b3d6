"""Statistics of the records: means over splits, ranks over data sets, the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare

from studies.ranks import mean_and_deviation, rank_values
from studies.store import Record


class Summary(NamedTuple):
    """A model on a data set: means over the splits it has, and the deviation of the score."""

    n_splits: int
    mean: float
    deviation: float
    fit_seconds: float
    fit_cpu_seconds: float


class Ranks(NamedTuple):
    """Ranks of models (columns) on data sets (rows), 1 for the best, and how to read them.

    Attributes
    ----------
    n_common : dict of str to int
        For each data set ranked, how many splits all models with a result have.
    missing : dict of str to list of str
        For each data set ranked, the models without a result, which share the last ranks.
    """

    models: list[str]
    ranks: NDArray[np.float64]
    n_common: dict[str, int]
    missing: dict[str, list[str]]

    @property
    def means(self) -> dict[str, float]:
        """Mean ranks, best first."""
        means = dict(zip(self.models, self.ranks.mean(axis=0).tolist(), strict=True))
        return dict(sorted(means.items(), key=lambda item: item[1]))


Scores = dict[str, dict[str, dict[int, Record]]]


def collect(records: Iterable[Record]) -> Scores:
    """Gather finished fits: {data set: {model: {split: record}}}.

    A data set with results of only one model is left out: there is nothing to compare.
    """
    found: Scores = {}
    for record in records:
        if record["status"] == "done":
            splits = found.setdefault(record["dataset"], {}).setdefault(record["model"], {})
            splits[record["split"]] = record
    return {dataset: models for dataset, models in found.items() if len(models) > 1}


def lower_is_better(models: Mapping[str, Mapping[int, Record]]) -> bool:
    """Return True if a data set's scores are errors."""
    first: Record = next(iter(next(iter(models.values())).values()))
    return bool(first["measure"] == "rmse")


def summarize(splits: Mapping[int, Record]) -> Summary:
    """Average over splits; a single one has the deviation 0."""
    mean, deviation = mean_and_deviation([record["score"] for record in splits.values()])
    return Summary(
        n_splits=len(splits),
        mean=mean,
        deviation=deviation,
        fit_seconds=float(np.mean([record["fit_seconds"] for record in splits.values()])),
        fit_cpu_seconds=float(np.mean([record["fit_cpu_seconds"] for record in splits.values()])),
    )


def rank_models(scores: Scores) -> Ranks:
    """Rank the models by their mean scores over the splits that all of them have.

    Equal scores share the mean of their ranks. All models without a result on a data set share
    the last ranks there. A data set without a common split, or with results of less than half of
    the models, is left out.
    """
    models = list(dict.fromkeys(model for found in scores.values() for model in found))
    rows, n_common, missing = [], {}, {}
    for dataset, found in scores.items():
        common = set.intersection(*(set(splits) for splits in found.values()))
        if not common or 2 * len(found) < len(models):
            continue
        means = {
            model: float(np.mean([splits[number]["score"] for number in sorted(common)]))
            for model, splits in found.items()
        }
        lower = lower_is_better(found)
        last = math.inf if lower else -math.inf
        rows.append(rank_values([means.get(model, last) for model in models], lower=lower))
        n_common[dataset] = len(common)
        missing[dataset] = [model for model in models if model not in means]
    return Ranks(models, np.reshape(rows, (len(rows), len(models))), n_common, missing)


def friedman_p_value(ranks: NDArray[np.float64]) -> float:
    """Return how likely ranks as different as these are if all models are alike; NaN if too few."""
    n_datasets, n_models = ranks.shape
    if n_datasets < 2 or n_models < 3:
        return math.nan
    return float(friedmanchisquare(*ranks.T).pvalue)


def pareto_front(points: Mapping[str, tuple[float, float]], *, lower: bool) -> list[str]:
    """Name the models, by growing time, that no model beats in the same time or less."""
    sign = 1.0 if lower else -1.0
    front: list[str] = []
    best = math.inf
    for name in sorted(points, key=lambda name: (points[name][0], sign * points[name][1])):
        if sign * points[name][1] < best:
            best = sign * points[name][1]
            front.append(name)
    return front
