"""Clocks, floors and curves."""

from __future__ import annotations

import json
import time

import pytest
import torch

from benchmarks.curves import Curve, Point, score_at, seconds_to
from benchmarks.floor import prediction_floor, training_floor
from benchmarks.machine import describe_machine
from benchmarks.problems import Shape, draw_model, draw_rows
from benchmarks.scaling import slope
from benchmarks.timing import interleaved_seconds, medians, times_within

SHAPE = Shape(3, 16, 2, 8)


def work(seconds: float) -> None:
    """Keep the processor busy: sleep is not in its time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_runs_take_turns_and_the_first_round_is_dropped() -> None:
    turns: list[str] = []
    runs = {name: lambda name=name: turns.append(name) for name in ("a", "b")}
    seconds = interleaved_seconds(runs, 2)
    assert turns == ["a", "b"] * 3
    assert {name: len(values) for name, values in seconds.items()} == {"a": 2, "b": 2}


def test_medians() -> None:
    assert medians({"a": [3.0, 1.0, 2.0]}) == {"a": 2.0}


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 4), (100.0, 9)])
def test_times_within_keeps_its_limits(seconds: float, expected: int) -> None:
    assert times_within(lambda: time.sleep(0.001), seconds, least=4, most=9) == expected


def test_floors_run(generator: torch.Generator) -> None:
    with torch.no_grad():
        assert training_floor(SHAPE, generator)() is None
        assert prediction_floor(SHAPE, 10, generator)() is None


def test_drawn_angles_are_realistic(generator: torch.Generator) -> None:
    (layer,), weights = draw_model(SHAPE, generator)
    inputs, targets = draw_rows(SHAPE, 500, generator)
    angles = inputs @ layer.frequencies[0]
    assert 0.5 < float(angles.std()) < 3.0
    assert weights.shape == (16, 2)
    assert set(targets.tolist()) == {0, 1}


def test_scoring_stops_the_clock() -> None:
    scores = iter([1.0, 2.0])

    def score() -> float:
        work(0.2)
        return next(scores)

    curve = Curve(score)
    curve.add()
    curve.add()
    assert [point.score for point in curve.points] == [1.0, 2.0]
    assert curve.seconds < 0.2


def test_a_look_too_soon_adds_nothing() -> None:
    curve = Curve(lambda: 0.0)
    work(0.05)
    curve.look()
    curve.look()
    assert len(curve.points) == 1


def test_reading_a_curve() -> None:
    points = [Point(1.0, 90.0), Point(2.0, 95.0), Point(3.0, 94.0)]
    assert seconds_to(points, 94.5, lower_is_better=False) == 2.0
    assert seconds_to(points, 99.0, lower_is_better=False) is None
    assert seconds_to(points, 90.0, lower_is_better=True) == 1.0
    assert score_at(points, 2.5) == 95.0
    assert score_at(points, 0.5) is None


def test_slope_of_a_power() -> None:
    assert slope([1.0, 10.0, 100.0], [3.0, 30.0 * 10, 3.0 * 10**4]) == pytest.approx(2.0)


def test_machine_is_described() -> None:
    machine = json.loads(json.dumps(describe_machine()))
    assert machine["cores"] >= 1
    assert {"askl", "torch", "numpy", "scikit-learn"} <= machine["versions"].keys()
