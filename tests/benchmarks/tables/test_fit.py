"""One fit to one fold: what is measured, on which rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.tables import fit


def test_a_fit_prints_errors_seconds_and_its_environment(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit.main(["airfoil", "lightgbm", "1"])
    all_rows = json.loads(capsys.readouterr().out)
    fit.main(["airfoil", "lightgbm", "1", "--inner"])
    inner = json.loads(capsys.readouterr().out)
    assert (all_rows["n_rows"], inner["n_rows"]) == (60, 45)
    for measured in (all_rows, inner):
        assert measured["errors"].keys() == {"RMSE"}
        assert measured["fit_seconds"] > 0.0
        assert measured["machine"]["versions"]["lightgbm"]
