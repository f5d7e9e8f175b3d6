"""The benchmark of streams, in its quick form."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from benchmarks import streaming


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_streaming(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(data_folder / "segment.npz") as arrays:
        for name in ("poker", "poker_partial"):
            np.savez(data_folder / f"{name}.npz", **arrays)
    streaming.main(["--quick", "--output", str(tmp_path)])
    results = json.loads((tmp_path / "streaming.json").read_text())
    assert results["quick"] is True
    assert results["memory"]["peak_mb"] > results["memory"]["imports_mb"] > 0.0
    assert results["memory"]["iterations"] == 100
    assert results["speed"]["streamed_over_in_memory"] > 0.0
    assert len(results["accuracy"]["accuracy_percent"]["streamed"]) == 3
    assert "peak memory" in capsys.readouterr().out
