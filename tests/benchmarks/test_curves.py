"""Curves of scores over time, by a clock that the test sets."""

from __future__ import annotations

import pytest

from benchmarks.curves import Curve, Point, score_at, seconds_to
from tests.benchmarks.clock import Clock


def test_the_time_of_scoring_is_not_counted() -> None:
    clock, scores = Clock(), iter([1.0, 2.0])

    def score() -> float:
        clock.now += 50.0
        return next(scores)

    curve = Curve(score, clock)
    clock.now += 3.0
    curve.add()
    clock.now += 4.0
    curve.add()
    assert curve.points == [Point(3.0, 1.0), Point(7.0, 2.0)]
    assert curve.seconds == pytest.approx(7.0)


def test_points_are_a_twentieth_apart() -> None:
    clock = Clock()
    curve = Curve(lambda: 0.0, clock)
    for seconds in (10.0, 0.4, 0.2, 0.5):
        clock.now += seconds
        curve.look()
    assert [point.seconds for point in curve.points] == pytest.approx([10.0, 10.6])


def test_reading_a_curve() -> None:
    points = [Point(1.0, 90.0), Point(2.0, 95.0), Point(3.0, 94.0)]
    assert seconds_to(points, 94.5, lower_is_better=False) == 2.0
    assert seconds_to(points, 99.0, lower_is_better=False) is None
    assert seconds_to(points, 90.0, lower_is_better=True) == 1.0
    assert score_at(points, 2.5) == 95.0
    assert score_at(points, 0.5) is None
