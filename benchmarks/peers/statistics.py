"""What the records say: means over splits, ranks over data sets, and which ranks differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from benchmarks.peers.records import Record

SIGNIFICANCE = 0.05


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

    A data set with results of one model only compares nothing, and is left out.
    """
    found: Scores = {}
    for record in records:
        if record["status"] == "done":
            splits = found.setdefault(record["dataset"], {}).setdefault(record["model"], {})
            splits[record["split"]] = record
    return {dataset: models for dataset, models in found.items() if len(models) > 1}


def lower_is_better(models: Mapping[str, Mapping[int, Record]]) -> bool:
    """Say whether a data set's scores are errors."""
    return next(iter(next(iter(models.values())).values()))["measure"] == "rmse"


def summarize(splits: Mapping[int, Record]) -> Summary:
    """Average over splits; a single one has the deviation 0."""
    scores = [record["score"] for record in splits.values()]
    return Summary(
        n_splits=len(scores),
        mean=float(np.mean(scores)),
        deviation=float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0,
        fit_seconds=float(np.mean([record["fit_seconds"] for record in splits.values()])),
        fit_cpu_seconds=float(np.mean([record["fit_cpu_seconds"] for record in splits.values()])),
    )


def rank_models(scores: Scores) -> Ranks:
    """Rank the models by their mean scores over the splits that all of them have.

    Equal scores share the mean of their ranks. A model without a result on a data set is last
    there, as are all such. A data set without a common split, or with results of less than half
    of the models, is left out.
    """
    models = list(dict.fromkeys(model for found in scores.values() for model in found))
    rows, n_common, missing = [], {}, {}
    for dataset, found in scores.items():
        common = set.intersection(*(set(splits) for splits in found.values()))
        if not common or 2 * len(found) < len(models):
            continue
        sign = 1.0 if lower_is_better(found) else -1.0
        means = {
            model: sign * float(np.mean([splits[number]["score"] for number in sorted(common)]))
            for model, splits in found.items()
        }
        rows.append(rankdata([means.get(model, math.inf) for model in models]))
        n_common[dataset] = len(common)
        missing[dataset] = [model for model in models if model not in means]
    return Ranks(models, np.reshape(rows, (len(rows), len(models))), n_common, missing)


def friedman_p_value(ranks: NDArray[np.float64]) -> float:
    """How likely ranks as different as these are if all models are alike; NaN if too few."""
    n_datasets, n_models = ranks.shape
    if n_datasets < 2 or n_models < 3:
        return math.nan
    return float(friedmanchisquare(*ranks.T).pvalue)


def critical_difference(n_models: int, n_datasets: int) -> float:
    """The difference of two mean ranks that Nemenyi's test calls significant at 5 %.

    q sqrt(k (k + 1) / (6 N)), q being the quantile of the studentized range over sqrt(2).
    """
    if n_models < 2 or n_datasets < 1:
        return math.nan
    quantile = studentized_range.ppf(1.0 - SIGNIFICANCE, n_models, math.inf) / math.sqrt(2.0)
    return float(quantile * math.sqrt(n_models * (n_models + 1) / (6.0 * n_datasets)))


def alike(means: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Find the longest runs of sorted mean ranks within a difference, as first and last index."""
    runs: list[tuple[int, int]] = []
    for first, mean in enumerate(means):
        last = max(index for index, other in enumerate(means) if other - mean <= difference)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def pareto_front(points: Mapping[str, tuple[float, float]], *, lower: bool) -> list[str]:
    """Name the models, by growing time, that none beats in score for at most their time."""
    sign = 1.0 if lower else -1.0
    front: list[str] = []
    best = math.inf
    for name in sorted(points, key=lambda name: (points[name][0], sign * points[name][1])):
        if sign * points[name][1] < best:
            best = sign * points[name][1]
            front.append(name)
    return front
