"""A clock that only a test advances."""

from __future__ import annotations


class Clock:
    """Call it for the time; set or add to ``now`` to let time pass."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
