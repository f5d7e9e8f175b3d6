"""How long an automatic fit takes if the user gives no budget, and what is left of it.

Seconds of the default budget are estimated, not those of a clock. So the candidates that are
tried, and with them the model, do not depend on how fast a machine is or on what else it does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from askl.auto.settings import SearchSettings


def default_budget(n_samples: int, n_features: int, settings: SearchSettings) -> float:
    """Return the seconds an automatic fit may take where the user names none.

    Examples
    --------
    >>> default_budget(5200, 20, SearchSettings())
    55.2
    """
    n_numbers = n_samples * n_features
    seconds = n_samples / settings.rows_per_second + n_numbers / settings.numbers_per_second
    missing = max(0.0, 1.0 - n_samples / settings.rows_to_trust_one_fold)
    least = settings.least_seconds + missing * settings.extra_seconds_of_few_rows
    return min(settings.most_seconds, round(max(least, seconds), 6))


def make_budget(
    time_budget: float | str | None, n_samples: int, n_features: int, settings: SearchSettings
) -> Budget:
    """Return the budget of a fit: of the seconds a user named, or of estimated ones.

    Examples
    --------
    >>> budgets = [make_budget(given, 5200, 20, SearchSettings()) for given in ("auto", 9, None)]
    >>> [budget.total for budget in budgets]
    [55.2, 9.0, None]
    """
    if time_budget == "auto":
        return Budget(default_budget(n_samples, n_features, settings), estimated=True)
    return Budget(None if time_budget is None else float(time_budget))


class Budget:
    """What is left of a budget of seconds; no budget is never used up.

    Parameters
    ----------
    total : float or None
        Seconds.
    estimated : bool, default=False
        Whether the budget counts the estimated seconds of the work that has begun. Otherwise it
        counts those of the clock, and estimates are corrected by what ended work really took.
    clock : callable, default=time.monotonic
        Returns the time in seconds.

    Examples
    --------
    >>> Budget(60.0).allows(10.0), Budget(60.0).allows(90.0), Budget(None).allows(90.0)
    (True, False, True)
    >>> budget = Budget(60.0, estimated=True)
    >>> budget.begin(55.0)
    >>> budget.spent, budget.allows(5.0), budget.allows(10.0)
    (55.0, True, False)
    """

    def __init__(
        self,
        total: float | None,
        *,
        estimated: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total, self.estimated, self.clock = total, estimated, clock
        self.start = clock()
        self.begun = self.ended = 0.0  # estimated seconds of work
        self.taken = 0.0  # real seconds of the work that has ended

    def extend(self, factor: float) -> None:
        """Multiply the budget, unless a user named it."""
        if self.total is not None and self.estimated:
            self.total *= factor

    def begin(self, estimated_seconds: float) -> None:
        """Count work that begins."""
        self.begun += estimated_seconds

    def end(self, estimated_seconds: float, seconds: float) -> None:
        """Count work that has ended, and the seconds that it took."""
        self.ended += estimated_seconds
        self.taken += seconds

    @property
    def seconds(self) -> float:
        """Seconds of the clock since the beginning."""
        return self.clock() - self.start

    @property
    def spent(self) -> float:
        """Seconds of the budget that are used up."""
        return self.begun if self.estimated else self.seconds

    @property
    def slowdown(self) -> float:
        """Seconds that an estimated second takes on this machine, by the work that has ended."""
        return self.taken / self.ended if self.ended else 1.0

    @property
    def unit_cost(self) -> float:
        """Seconds of the budget that an estimated second costs."""
        return 1.0 if self.estimated else self.slowdown

    @property
    def expected_seconds(self) -> float | None:
        """Seconds of the clock that the whole budget is expected to take on this machine."""
        return None if self.total is None else self.total * self.slowdown / self.unit_cost

    def allows(self, estimated_seconds: float) -> bool:
        """Return whether enough of the budget is left for some work."""
        return self.total is None or self.spent + self.unit_cost * estimated_seconds <= self.total
