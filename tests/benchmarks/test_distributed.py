"""The benchmark of data-parallel training, in its quick form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch.distributed

from benchmarks import distributed


@pytest.mark.skipif(not torch.distributed.is_gloo_available(), reason="needs gloo")
def test_distributed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distributed.main(["--quick", "--output", str(tmp_path)])
    results = json.loads((tmp_path / "distributed.json").read_text())
    assert results["quick"] is True
    (record,) = results["records"]
    one, two = (record["iterations_per_second"][count] for count in "12")
    assert record["two_over_one"] == pytest.approx(two[0] / one[0])
    assert record["loss"]["1"] == pytest.approx(record["loss"]["2"], rel=1e-4)
    assert record["processor_ms"]["1"][0] > 0.0
    assert "2 over 1" in capsys.readouterr().out
