"""Prediction of a stream, on few rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from benchmarks import predict_stream


def test_all_rows_are_predicted_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    predict_stream.main(["--rows", "3000", "--in-memory", "1000", "--result", str(path)])
    result = json.loads(path.read_text())
    assert result["n_written"] == 3000
    assert result["passed"]["rows"] is True
    assert result["stream"]["peak_megabytes"] > 10.0
    assert result["stream"]["processor_seconds"] > 0.0
    assert json.loads(capsys.readouterr().out)["stream"] == result["stream"]
