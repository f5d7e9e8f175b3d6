"""Time to accuracy, in the quick form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import time_to_accuracy
from benchmarks.curves import Point
from benchmarks.data import Split
from benchmarks.reference import Settings


def test_time_to_accuracy(data_folder: Path, tmp_path: Path) -> None:
    time_to_accuracy.main(["--quick", "--output", str(tmp_path)])
    store = time_to_accuracy.open_store(tmp_path)
    satimage, space_ga = time_to_accuracy.read_records(store)
    assert satimage["machine"]["versions"]["torch"]
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


def test_another_data_set_leaves_the_records_of_the_first(
    data_folder: Path, tmp_path: Path
) -> None:
    for name in ("space_ga", "satimage"):
        time_to_accuracy.main(["--quick", "--output", str(tmp_path), name])
    records = time_to_accuracy.read_records(time_to_accuracy.open_store(tmp_path))
    assert [record["data"] for record in records] == ["satimage", "space_ga"]


@pytest.mark.parametrize(
    ("reference", "ratio", "is_least"),
    [
        ([Point(4.0, 80.0), Point(8.0, 90.0)], 4.0, False),
        ([Point(4.0, 80.0), Point(8.0, 84.0)], 4.0, True),  # it never gets there
        ([Point(4.0, 86.0), Point(8.0, 90.0)], 2.0, False),
    ],
)
def test_times_are_compared_by_hand(reference: list[Point], ratio: float, is_least: bool) -> None:
    task = time_to_accuracy.Task(85.0, 3.0, Settings(), {})
    ours = [Point(1.0, 70.0), Point(2.0, 88.0)]
    X = np.zeros((1, 1))
    split = Split(X, np.array([0]), X, np.array([0]))
    found = time_to_accuracy.compare(task, split, [ours], [reference])
    assert (found["ratio"], found["ratio_is_least"]) == (ratio, is_least)
    assert found["passed"] is (ratio >= 3.0)
    assert found["seconds"]["ours"] == 2.0
    assert found["equal_time"] == {"seconds": 2.0, "ours": 88.0, "reference": None}
