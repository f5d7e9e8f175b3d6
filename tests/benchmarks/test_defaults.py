"""Accuracy of the defaults, in the quick form."""

from __future__ import annotations

from pathlib import Path

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


def test_a_quick_run_does_not_touch_the_results() -> None:
    parser = defaults.argument_parser("")
    folder = defaults.output_folder(parser.parse_args(["--quick"]))
    assert folder != defaults.output_folder(parser.parse_args([]))
