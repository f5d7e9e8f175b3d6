"""Time to accuracy, in the quick form."""

from __future__ import annotations

from pathlib import Path

from benchmarks import time_to_accuracy
from tests.benchmarks.results import saved


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
    assert (tmp_path / "time_to_accuracy.png").read_bytes().startswith(b"\x89PNG")
