"""Estimated seconds beside the seconds that trainings took, in the quick form."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import estimated
from tests.benchmarks.results import saved


def test_estimated(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estimated.main(["--quick", "--output", str(tmp_path)])
    (record,) = saved(tmp_path, "estimated")["records"]
    assert len(record["start"]) == len(record["estimated"]) == len(record["seconds"]) > 0
    total = sum(record["estimated"]) / sum(record["seconds"])
    assert record["ratios"]["all"] == pytest.approx(total)
    assert 0.05 < record["ratios"]["quantile 0.5"] < 20.0
    assert "segment" in capsys.readouterr().out
