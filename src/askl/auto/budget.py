"""How long an automatic fit takes where the user does not say, and what is left of it.

Seconds that nobody named are estimated ones, not those of a clock: what is tried, and so the model,
does not depend on how fast a machine is or on what else it does.
"""

from __future__ import annotations

import time

# Seconds grow with rows and with numbers, between two ends.
ROWS_A_SECOND = 104.0
NUMBERS_A_SECOND = 20_000.0
LEAST_SECONDS = 18.0
MOST_SECONDS = 400.0
# With fewer rows one fold is a poor judge: up to so many seconds more, for all folds to judge.
ROWS_TO_TRUST_A_FOLD = 1600
SECONDS_FOR_FOLDS = 24.0


def default_budget(n_samples: int, n_features: int) -> float:
    """Return the seconds an automatic fit may take where the user names none.

    Examples
    --------
    >>> default_budget(5200, 20)
    55.2
    """
    seconds = n_samples / ROWS_A_SECOND + n_samples * n_features / NUMBERS_A_SECOND
    few = max(0.0, 1.0 - n_samples / ROWS_TO_TRUST_A_FOLD)
    least = LEAST_SECONDS + few * SECONDS_FOR_FOLDS
    return min(MOST_SECONDS, round(max(least, seconds), 6))


class Budget:
    """What is left of a budget of seconds; no budget is never used up.

    Parameters
    ----------
    budget : float or None
        Seconds.
    estimated : bool, default=False
        Whether the budget is of estimated seconds, as those of work that has begun, or of real
        ones, at the pace of the work that has ended.

    Examples
    --------
    >>> Budget(60.0).allows(10.0), Budget(60.0).allows(90.0), Budget(None).allows(90.0)
    (True, False, True)
    >>> clock = Budget(60.0, estimated=True)
    >>> clock.begin(55.0)
    >>> clock.spent, clock.allows(5.0), clock.allows(10.0)
    (55.0, True, False)
    """

    def __init__(self, budget: float | None, *, estimated: bool = False) -> None:
        self.budget, self.estimated = budget, estimated
        self.started = time.monotonic()
        self.begun = self.ended = self.taken = 0.0

    def extend(self, factor: float) -> None:
        """Take so many times the budget, unless a user named it."""
        if self.budget is not None and self.estimated:
            self.budget *= factor

    def begin(self, work: float) -> None:
        """Count work, in estimated seconds, that begins."""
        self.begun += work

    def end(self, work: float, seconds: float) -> None:
        """Count work that has ended, and what it took."""
        self.ended += work
        self.taken += seconds

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def spent(self) -> float:
        """Seconds of the budget that are used up."""
        return self.begun if self.estimated else self.seconds

    @property
    def pace(self) -> float:
        """Seconds that an estimated one takes here, by the work that has ended."""
        return self.taken / self.ended if self.ended else 1.0

    @property
    def price(self) -> float:
        """Seconds of the budget that an estimated one costs."""
        return 1.0 if self.estimated else self.pace

    @property
    def expected(self) -> float | None:
        """Seconds that the whole budget is expected to take here."""
        return None if self.budget is None else self.budget * self.pace / self.price

    def allows(self, work: float) -> bool:
        """Say whether there is enough left of the budget for work of so many estimated seconds."""
        return self.budget is None or self.spent + self.price * work <= self.budget
