"""Timing: turns, medians and repetitions, by a clock that the test sets."""

from __future__ import annotations

import pytest

from benchmarks.timing import interleaved_seconds, medians, times_within
from tests.benchmarks.clock import Clock


def test_runs_take_turns_and_the_first_round_is_dropped() -> None:
    clock, turns = Clock(), []

    def run(name: str, seconds: float) -> None:
        turns.append(name)
        # The first round also allocates memory.
        clock.advance(seconds if len(turns) > 2 else 100.0)

    runs = {"a": lambda: run("a", 1.0), "b": lambda: run("b", 2.0)}
    assert interleaved_seconds(runs, 2, clock) == {"a": [1.0, 1.0], "b": [2.0, 2.0]}
    assert turns == ["a", "b"] * 3


def test_medians() -> None:
    assert medians({"a": [3.0, 1.0, 2.0]}) == {"a": 2.0}


@pytest.mark.parametrize(("seconds", "expected"), [(0.1, 4), (6.0, 6), (100.0, 9)])
def test_times_within_keeps_its_limits(seconds: float, expected: int) -> None:
    clock = Clock()
    found = times_within(lambda: clock.advance(1.0), seconds, least=4, most=9, clock=clock)
    assert found == expected
