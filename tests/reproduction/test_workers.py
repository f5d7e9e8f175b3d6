"""Workers: every task is done once, here and in other processes."""

from __future__ import annotations

import operator

import pytest

from reproduction.workers import Workers


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_is_done_once(jobs: int) -> None:
    found = Workers(jobs).map(operator.mul, ((number, 10) for number in range(5)))
    assert sorted(found) == [0, 10, 20, 30, 40]


def test_results_come_before_the_last_task_is_done() -> None:
    started = []

    def tasks():
        for number in range(100):
            started.append(number)
            yield (number, 1)

    assert next(iter(Workers(1).map(operator.mul, tasks()))) == 0
    assert len(started) < 100
