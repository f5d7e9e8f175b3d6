"""Predictive intervals, in the quick form."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks import intervals
from tests.benchmarks.results import saved


# The stand-in data have no noise for the Gaussian process to find.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_intervals(data_folder: Path, tmp_path: Path) -> None:
    intervals.main(["--quick", "--output", str(tmp_path)])
    (record,) = saved(tmp_path, "intervals")["records"]
    assert list(record["models"]) == ["gaussian process", "ours, same rows", "ours, all rows"]
    for figures in record["models"].values():
        assert 0.0 <= figures["coverage_percent"] <= 100.0
        assert math.isfinite(figures["negative_log_density"])


def test_intervals_are_judged_by_hand() -> None:
    mean, deviation = np.zeros(4), np.array([1.0, 1.0, 2.0, 2.0])
    truth = np.array([1.6, 1.7, 3.2, 3.4])
    judged = intervals.judge((mean, deviation), truth)
    assert judged["coverage_percent"] == 50.0
    densities = norm.logpdf(truth, mean, deviation)
    assert judged["negative_log_density"] == pytest.approx(-densities.mean())
    assert judged["rmse"] == pytest.approx(np.sqrt(np.mean(truth**2)))
