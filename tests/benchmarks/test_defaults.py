"""Accuracy of the defaults, in the quick form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import defaults
from tests.benchmarks.results import saved


def test_defaults(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    defaults.main(["--quick", "--output", str(tmp_path)])
    segment, space_ga = saved(tmp_path, "defaults")["records"]
    assert (segment["data"], segment["measure"]) == ("segment", "accuracy")
    assert (space_ga["measure"], space_ga["target"]) == ("rmse", 3.15)
    assert segment["passed"] == (segment["score"] >= 97.0)
    assert space_ga["passed"] == (space_ga["score"] <= 3.15)
    assert segment["rank"] <= 3
    assert segment["trace_norm"] > 0.0
    assert "segment" in capsys.readouterr().out


def test_norm_and_rank_of_a_head() -> None:
    weights = np.diag([3.0, 2.0, 0.0])
    assert defaults.trace_norm_and_rank(weights) == (pytest.approx(5.0), 2)
