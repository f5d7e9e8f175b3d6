"""Estimated seconds beside the seconds that trainings took, in the quick form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cost_estimates
from benchmarks.report import RESULTS
from tests.benchmarks.results import saved


def test_cost_estimates(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cost_estimates.main(["--quick", "--output", str(tmp_path)])
    (record,) = saved(tmp_path, "cost_estimates")["records"]
    estimated, seconds = record["estimated_seconds"], record["seconds"]
    assert len(record["candidate"]) == len(estimated) == len(seconds) > 0
    assert record["ratios"]["all"] == pytest.approx(sum(estimated) / sum(seconds))
    each = [one / other for one, other in zip(estimated, seconds, strict=True)]
    assert min(each) <= record["ratios"]["quantile 0.5"] <= max(each)
    assert "segment" in capsys.readouterr().out


def test_the_committed_ratios_are_those_of_the_committed_seconds() -> None:
    records = json.loads((RESULTS / "cost_estimates.json").read_text(encoding="utf-8"))["records"]
    assert [record["data"] for record in records] == list(cost_estimates.DATA)
    for record in records:
        assert cost_estimates.ratios(record) == pytest.approx(record["ratios"])
