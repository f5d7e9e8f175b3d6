"""Statistics of the tables and figures: means, significance and ranks, from records only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import ttest_rel

from reproduction.datasets import find_row, rows
from reproduction.protocol import METHODS
from studies.ranks import (
    ROUNDING,
    SIGNIFICANCE,
    critical_difference,
    mean_and_deviation,
    rank_values,
)
from studies.store import Record

Scores = Mapping[str, Mapping[int, float]]


class Ranks(NamedTuple):
    """Mean ranks of the methods over data sets, and the difference that is critical."""

    means: dict[str, float]
    critical_difference: float
    n_datasets: int


def higher_is_better(unit: str) -> bool:
    """Return True for an accuracy, False for an error."""
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


def best_methods(scores: Scores, unit: str) -> list[str]:
    """Return the methods of the best mean; several if they differ by rounding errors only."""
    ranks = _rank(scores, unit)
    return [method for method, rank in ranks.items() if rank == min(ranks.values())]


def _rank(scores: Scores, unit: str) -> dict[str, float]:
    means = [mean_and_deviation(list(figures.values()))[0] for figures in scores.values()]
    ranks = rank_values(means, lower=not higher_is_better(unit)).tolist()
    return dict(zip(scores, ranks, strict=True))


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
    smallest = ROUNDING * np.abs(left).max()
    if np.ptp(differences) <= smallest:
        return float(np.abs(differences).max() <= smallest)
    return float(ttest_rel(left, right).pvalue)


def rank_methods(figures: Mapping[tuple[str, str], Scores]) -> Ranks:
    """Rank methods on every data set that has them all, and average (Demsar's procedure).

    Means that differ by rounding errors only share a rank.
    """
    all_ranks = [
        _rank(scores, unit)
        for (dataset, unit), scores in figures.items()
        if unit == find_row(dataset).units[0] and len(scores) == len(METHODS)
    ]
    if not all_ranks:
        return Ranks({}, math.nan, 0)
    means = {method: float(np.mean([ranks[method] for ranks in all_ranks])) for method in METHODS}
    return Ranks(means, critical_difference(len(METHODS), len(all_ranks)), len(all_ranks))
