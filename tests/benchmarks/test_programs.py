"""Every program in its quick form: what it prints, and what it saves."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchmarks import (
    ablation,
    defaults,
    estimated,
    intervals,
    one_fit,
    scaling,
    speed,
    time_to_accuracy,
)

PNG = b"\x89PNG"


def saved(folder: Path, name: str) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    assert results["quick"] is True
    assert results["machine"]["versions"]["torch"]
    return results


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


def test_foretold(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estimated.main(["--quick", "--output", str(tmp_path)])
    (record,) = saved(tmp_path, "estimated")["records"]
    assert len(record["start"]) == len(record["estimated"]) == len(record["seconds"]) > 0
    total = sum(record["estimated"]) / sum(record["seconds"])
    assert record["ratios"]["all"] == pytest.approx(total)
    assert 0.05 < record["ratios"]["quantile 0.5"] < 20.0
    assert "segment" in capsys.readouterr().out


def test_ablation(data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--output", str(tmp_path)]
    ablation.main(options)
    path = tmp_path / "ablation" / "segment.json"
    record = json.loads(path.read_text())
    assert record["errors"].keys() == ablation.VARIANTS.keys()
    errors = record["errors"]
    assert errors["without the exact head"] == errors["default"]  # classes have none
    path.unlink()
    other = tmp_path / "ablation" / "space_ga.json"
    before = other.stat().st_mtime_ns
    ablation.main(options)
    assert json.loads(path.read_text())["errors"] == errors
    assert other.stat().st_mtime_ns == before  # what is done is not repeated
    assert "2 data sets" in capsys.readouterr().out


def test_ablation_counts_and_ranks() -> None:
    variants = list(ablation.VARIANTS)
    errors = {name: [1.0 + number] for number, name in enumerate(variants)}
    even = {name: [2.0, 4.0] for name in variants}
    summary = ablation.summarize([{"errors": errors}, {"errors": even}])
    assert summary["default"]["change_percent"] == 0.0
    assert summary["default"]["mean_rank"] == (1.0 + (len(variants) + 1) / 2) / 2
    second = summary[variants[1]]
    assert second["change_percent"] == pytest.approx(100.0 * (math.sqrt(2.0) - 1.0))
    assert (second["n_worse"], second["n_better"]) == (1, 0)


# The stand-in data have no noise for the Gaussian process to find.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_intervals(data_folder: Path, tmp_path: Path) -> None:
    intervals.main(["--quick", "--output", str(tmp_path)])
    (record,) = saved(tmp_path, "intervals")["records"]
    assert list(record["models"]) == ["gaussian process", "ours, same rows", "ours, all rows"]
    for figures in record["models"].values():
        assert 0.0 <= figures["coverage_percent"] <= 100.0
        assert math.isfinite(figures["negative_log_density"])


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


def test_time_to_accuracy(data_folder: Path, tmp_path: Path) -> None:
    time_to_accuracy.main(["--quick", "--output", str(tmp_path)])
    satimage, space_ga = saved(tmp_path, "time_to_accuracy")["records"]
    assert satimage["paper"] == 85.32
    assert [peer["name"] for peer in satimage["peers"]] == [
        "LightGBM",
        "RBF-SVM",
        "RBFSampler + ridge",
    ]
    for record in (satimage, space_ga):
        assert record["equal_time"]["ours"] == record["ours"][-1]["score"]
        for name in ("ours", "reference"):
            seconds = [point["seconds"] for point in record[name]]
            assert seconds == sorted(seconds)
    assert (tmp_path / "time_to_accuracy.png").read_bytes().startswith(PNG)


def test_scaling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, object]] = []

    def run_here(sizes: dict[str, object], *flags: str) -> dict[str, float]:
        calls.append(sizes)
        return {"seconds": float(sizes["rows"]), "data_mb": 1.0, "over_data_mb": 500.0}

    monkeypatch.setattr(scaling, "run_alone", run_here)
    scaling.main(["--quick", "--output", str(tmp_path)])
    results = saved(tmp_path, "scaling")
    (sweep,) = results["sweeps"]
    assert [point["value"] for point in sweep["points"]] == [300, 600]
    assert sweep["slope"] == pytest.approx(1.0)
    assert sweep["passed"] is True
    assert results["peaks"][0]["passed"] is False  # 500 MB beside the data are too many
    assert {call["components"] for call in calls} == {50}
    assert (tmp_path / "scaling.png").read_bytes().startswith(PNG)


def test_a_fit_of_its_own_process() -> None:
    measured = scaling.run_alone({"rows": 300, "components": 20, "repeats": 1})
    assert measured.keys() == {"seconds", "data_mb", "over_data_mb"}
    assert measured["seconds"] > 0.0


@pytest.mark.parametrize("task", one_fit.TASKS)
def test_one_fit(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--rows=200", "--components=20", "--outputs=2", "--repeats=1"]
    one_fit.main(["--predict", f"--task={task}", *sizes])
    measured = json.loads(capsys.readouterr().out)
    assert measured["seconds"] > 0.0
    assert measured["data_mb"] > 0.0


def test_a_quick_run_does_not_touch_the_results() -> None:
    parser = defaults.argument_parser("")
    folder = defaults.output_folder(parser.parse_args(["--quick"]))
    assert folder != defaults.output_folder(parser.parse_args([]))
