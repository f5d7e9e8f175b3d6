"""What the tables and figures say: means, significance and ranks, from records only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata, studentized_range, ttest_rel

from reproduction.datasets import find_row, rows
from reproduction.protocol import METHODS
from reproduction.records import Record

SIGNIFICANCE = 0.05
Scores = Mapping[str, Mapping[int, float]]


class Ranks(NamedTuple):
    """Mean ranks of the methods over data sets, and the difference that is critical."""

    means: dict[str, float]
    critical_difference: float
    n_datasets: int


def higher_is_better(unit: str) -> bool:
    """Say whether a unit is an accuracy or an error."""
    return unit.startswith("accuracy")


def collect(records: Iterable[Record]) -> dict[tuple[str, str], dict[str, dict[int, float]]]:
    """Gather test figures: {(data set, unit): {method: {split: figure}}}, in the paper's order."""
    found: dict[tuple[str, str], dict[str, dict[int, float]]] = {
        (name, unit): {} for name, row in rows().items() for unit in row.units
    }
    for record in records:
        if record["status"] != "done":
            continue
        trial = record["trial"]
        for unit, figure in record["metrics"]["test"].items():
            methods = found[trial["dataset"], unit]
            methods.setdefault(trial["method"], {})[trial["split"]] = figure
    return {
        key: {method: scores[method] for method in METHODS if method in scores}
        for key, scores in found.items()
        if scores
    }


def mean_and_deviation(scores: Mapping[int, float]) -> tuple[float, float]:
    """Return mean and standard deviation over splits, the latter 0 for a single one."""
    figures = list(scores.values())
    return float(np.mean(figures)), float(np.std(figures, ddof=1)) if len(figures) > 1 else 0.0


def best_method(scores: Scores, unit: str) -> str:
    """Return the method of the best mean."""
    sign = 1.0 if higher_is_better(unit) else -1.0
    return max(scores, key=lambda method: sign * mean_and_deviation(scores[method])[0])


def not_worse(scores: Scores, best: str) -> set[str]:
    """Return the methods not significantly different from the best, itself left out.

    By a paired two-sided t-test at 5 % over the splits both have.
    """
    return {
        method
        for method in scores
        if method != best and paired_p_value(scores[best], scores[method]) >= SIGNIFICANCE
    }


def paired_p_value(first: Mapping[int, float], second: Mapping[int, float]) -> float:
    """Return the p-value of a paired t-test over common splits; NaN for fewer than two.

    Equal figures throughout have the p-value 1; equal differences throughout have 0.
    """
    common = sorted(first.keys() & second.keys())
    if len(common) < 2:
        return math.nan
    left, right = ([scores[number] for number in common] for scores in (first, second))
    differences = np.subtract(left, right)
    if np.ptp(differences) <= 1e-12 * np.abs(left).max():
        return float(np.abs(differences).max() <= 1e-12 * np.abs(left).max())
    return float(ttest_rel(left, right).pvalue)


def rank_methods(figures: Mapping[tuple[str, str], Scores]) -> Ranks:
    """Rank methods on every data set that has them all, and average (Demsar's procedure).

    The critical difference is Nemenyi's at 5 %: q sqrt(k (k + 1) / (6 N)) for k methods.
    """
    all_ranks = []
    for (dataset, unit), scores in figures.items():
        if unit == find_row(dataset).units[0] and len(scores) == len(METHODS):
            means = np.array([mean_and_deviation(scores[method])[0] for method in METHODS])
            all_ranks.append(rankdata(-means if higher_is_better(unit) else means))
    if not all_ranks:
        return Ranks({}, math.nan, 0)
    k, n_datasets = len(METHODS), len(all_ranks)
    quantile = studentized_range.ppf(1.0 - SIGNIFICANCE, k, math.inf) / math.sqrt(2.0)
    difference = float(quantile * math.sqrt(k * (k + 1) / (6.0 * n_datasets)))
    means = np.mean(all_ranks, axis=0)
    return Ranks(dict(zip(METHODS, means.tolist(), strict=True)), difference, n_datasets)
