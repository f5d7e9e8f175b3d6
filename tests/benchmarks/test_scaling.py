"""Scaling: what is swept, and the slope that is fitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import scaling
from tests.benchmarks.results import saved


def test_scaling(tmp_path: Path) -> None:
    calls: list[dict[str, object]] = []

    def fit(sizes: dict[str, object], *flags: str) -> dict[str, float]:
        calls.append(sizes)
        return {"seconds": float(sizes["rows"]), "data_mb": 1.0, "over_data_mb": 500.0}

    scaling.main(["--quick", "--output", str(tmp_path)], fit=fit)
    results = saved(tmp_path, "scaling")
    (sweep,) = results["sweeps"]
    assert [point["value"] for point in sweep["points"]] == [300, 600]
    assert sweep["slope"] == pytest.approx(1.0)
    assert sweep["passed"] is True
    assert results["peaks"][0]["passed"] is False  # 500 MB beside the data are too many
    assert {call["components"] for call in calls} == {50}
    assert (tmp_path / "scaling.png").read_bytes().startswith(b"\x89PNG")


def test_a_fit_of_its_own_process() -> None:
    measured = scaling.fit_alone({"rows": 300, "components": 20, "repeats": 1})
    assert measured.keys() == {"seconds", "data_mb", "over_data_mb"}
    assert measured["seconds"] > 0.0


def test_slope_of_a_power() -> None:
    assert scaling.slope([1.0, 10.0, 100.0], [3.0, 30.0 * 10, 3.0 * 10**4]) == pytest.approx(2.0)
