"""Predictive intervals, in the quick form."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

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
