"""Speed of training and prediction, in the quick form."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import speed
from tests.benchmarks.results import saved


def test_speed_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed.main(["--quick", "--output", str(tmp_path)])
    results = saved(tmp_path, "speed")
    record = results["training"][0]
    assert record["ours_over_floor"] == record["ours_ms"] / record["floor_ms"]
    assert record["reference_over_ours"] == record["reference_ms"] / record["ours_ms"]
    assert [len(values) for values in record["samples"].values()] == [2, 2, 2]
    assert results["prediction"][0]["rows_per_second"]["predict"] > 0.0
    assert "16x100x5x32" in capsys.readouterr().out


def test_speed_prints_csv_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    speed.main(["--quick", "--format", "csv", "--output", str(tmp_path)])
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == "shape,threads,floor_ms,reference_ms,ours_ms"
    assert [line.split(",")[:2] for line in lines] == [["16x100x5x32", "1"], ["8x50x1x64", "1"]]
    assert all(float(cell) > 0.0 for line in lines for cell in line.split(",")[2:])
