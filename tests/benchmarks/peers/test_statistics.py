"""Statistics of the records, by hand and by scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from benchmarks.peers import statistics
from tests.benchmarks.peers.sample import RECORDS, make_record


def test_summary_by_hand() -> None:
    summary = statistics.summarize(statistics.collect(RECORDS)["segment"]["lightgbm"])
    assert summary == (2, 97.0, pytest.approx(math.sqrt(2.0)), 2.0, 0.75)


def test_ranks_by_hand() -> None:
    # Only split 0 is common on segment, where askl is best; it has no result on abalone.
    ranks = statistics.rank_models(statistics.collect(RECORDS))
    assert ranks.models == ["lightgbm", "svm", "askl"]
    np.testing.assert_array_equal(ranks.ranks, [[2, 3, 1], [2, 1, 3]])
    assert ranks.n_common == {"segment": 1, "abalone": 1}
    assert ranks.missing == {"segment": [], "abalone": ["askl"]}
    assert ranks.means == {"lightgbm": 2.0, "svm": 2.0, "askl": 2.0}


def test_models_without_a_result_share_the_last_ranks() -> None:
    records = [
        make_record("segment", name, 0, score)
        for name, score in (("lightgbm", 90.0), ("xgboost", 90.0), ("svm", 80.0), ("rff", 70.0))
    ] + [make_record("letter", name, 0, 50.0) for name in ("svm", "rff")]
    ranks = statistics.rank_models(statistics.collect(records))
    np.testing.assert_array_equal(ranks.ranks, [[1.5, 1.5, 3, 4], [3.5, 3.5, 1.5, 1.5]])


def test_a_data_set_that_most_models_have_not_seen_is_not_ranked() -> None:
    names = ("lightgbm", "xgboost", "svm", "rff", "askl")
    records = [make_record("segment", name, 0, 90.0) for name in names]
    records += [make_record("letter", name, 0, 50.0) for name in ("svm", "rff")]
    assert statistics.rank_models(statistics.collect(records)).n_common == {"segment": 1}


def test_a_data_set_without_a_common_split_is_not_ranked() -> None:
    records = [make_record("segment", "svm", 0, 1.0), make_record("segment", "rff", 1, 1.0)]
    ranks = statistics.rank_models(statistics.collect(records))
    assert ranks.ranks.shape == (0, 2)
    assert ranks.n_common == {}


def test_friedman_is_that_of_scipy_and_of_the_formula() -> None:
    scores = np.random.default_rng(0).normal(size=(8, 4))
    ranks = scores.argsort(axis=1).argsort(axis=1) + 1.0
    statistic = 12 * 8 / (4 * 5) * (np.sum(ranks.mean(axis=0) ** 2) - 4 * 25 / 4)
    found = friedmanchisquare(*scores.T)
    assert found.statistic == pytest.approx(statistic)
    assert statistics.friedman_p_value(ranks) == pytest.approx(found.pvalue)
    assert math.isnan(statistics.friedman_p_value(ranks[:1]))


def test_pareto_front() -> None:
    points = {"a": (1.0, 5.0), "b": (2.0, 4.0), "c": (3.0, 4.5), "d": (1.0, 6.0), "e": (4.0, 1.0)}
    assert statistics.pareto_front(points, lower=True) == ["a", "b", "e"]
    assert statistics.pareto_front(points, lower=False) == ["d"]
