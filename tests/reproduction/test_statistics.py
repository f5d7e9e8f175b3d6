"""Statistics of the records, against scipy and printed constants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reproduction.folders import Folders
from reproduction.protocol import METHODS
from reproduction.records import read_records
from reproduction.statistics import (
    best_methods,
    collect,
    not_worse,
    paired_p_value,
    rank_methods,
)
from reproduction.tables import make_entries
from tests.reproduction.sample import make_records


def test_only_common_splits_are_paired(figures: dict[str, list[float]]) -> None:
    first = dict(enumerate(figures["askl"]))
    second = dict(enumerate(figures["sk"][:10]))
    expected = ttest_rel(figures["askl"][:10], figures["sk"][:10]).pvalue
    assert paired_p_value(first, second) == pytest.approx(expected)
    assert np.isnan(paired_p_value(first, {0: 1.0}))
    assert paired_p_value(first, first) == 1.0
    assert paired_p_value(first, {i: figure + 1.0 for i, figure in first.items()}) == 0.0
    assert not_worse({"askl": first, "sk": {0: 1.0}}, "askl") == set()


def test_ranks_and_their_critical_difference() -> None:
    better = {method: [90.0 + i, 91.0 + i] for i, method in enumerate(METHODS)}
    records = make_records("letter", "accuracy_percent", better)
    records += make_records("abalone", "rmse_0_to_100", better)
    ranks = rank_methods(collect(records))
    assert ranks.means == dict.fromkeys(METHODS, 3.0)
    # 2.728 is the value of q for five methods in Demsar (2006), Table 5.
    assert ranks.critical_difference == pytest.approx(2.728 * np.sqrt(5 / 2), abs=1e-2)
    assert rank_methods({}).n_datasets == 0


def test_methods_whose_means_differ_by_a_rounding_error_share_rank_and_first_place() -> None:
    # The same five figures in another order: their means differ in the last bit.
    figures = [99.87, 99.92, 99.85, 99.91, 99.93]
    swapped = [figures[i] for i in (3, 4, 0, 1, 2)]
    mean, other = np.mean(figures), np.mean(swapped)
    assert mean != other == math.nextafter(mean, other)
    others = {"sk": [99.0] * 5, "nsk": [98.0] * 5, "skl": [97.0] * 5}
    for nskl, askl in ((figures, swapped), (swapped, figures)):
        all_figures = {**others, "nskl": nskl, "askl": askl}
        records = make_records("shuttle", "accuracy_percent", all_figures)
        scores = collect(records)
        ranks = rank_methods(scores).means
        assert ranks == {"sk": 3.0, "nsk": 4.0, "skl": 5.0, "nskl": 1.5, "askl": 1.5}
        unit = "accuracy_percent"
        assert best_methods(scores["shuttle", unit], unit) == ["nskl", "askl"]
        best = [entry.method for entry in make_entries(records) if entry.is_best]
        assert best == ["nskl", "askl"]


def test_the_ranks_of_the_printed_protocol_have_the_tie_on_shuttle() -> None:
    ranks = rank_methods(collect(read_records("paper", Folders()))).means
    assert ranks["nskl"] == 2.125
    assert ranks["askl"] == pytest.approx(24.5 / 12)
    assert sum(ranks.values()) == pytest.approx(15.0)
