"""Speed of training: what is compared with the floor, and which limits count."""

from __future__ import annotations

from benchmarks.problems import Shape
from benchmarks.training_speed import LIMITS, judge

SHAPE = Shape(784, 2000, 10, 32)


def test_limits_are_of_one_thread_and_of_known_shapes() -> None:
    most, least = LIMITS[SHAPE]
    record = {"floor_ms": 1.0, "ours_ms": most, "reference_ms": least * most}
    assert judge(record, SHAPE, 1)["floors_passed"] is True
    assert judge(record, SHAPE, 1)["saving_passed"] is True
    slower = {**record, "ours_ms": 1.01 * most}
    assert judge(slower, SHAPE, 1)["floors_passed"] is False
    assert judge(slower, SHAPE, 1)["saving_passed"] is False
    for shape, threads in ((SHAPE, 2), (Shape(1, 2, 3, 4), 1)):
        judged = judge(slower, shape, threads)
        assert judged["floors_passed"] is judged["saving_passed"] is None
        assert judged["ours_over_floor"] == 1.01 * most
