"""How long an automatic fit takes where the user does not say, and what is left of it."""

from __future__ import annotations

import time

import numpy as np
import torch

from askl.estimators.fitting import thread_count

# Seconds grow with rows and with numbers, between two ends.
ROWS_A_SECOND = 160.0
NUMBERS_A_SECOND = 30_000.0
LEAST_SECONDS = 16.0
MOST_SECONDS = 480.0
# They are those of a machine that takes so long for a step; slower ones take longer, within bounds.
STEP_SECONDS = 0.43e-3
LEAST_SLOWNESS, MOST_SLOWNESS = 0.5, 2.5
STEP_ROWS, STEP_INPUTS, STEP_COMPONENTS = 128, 280, 256
N_TIMINGS, STEPS_A_TIMING = 10, 5
# A fit whose seconds nobody named waits while others have the processor: it takes so many times as
# long at the most.
PATIENCE = 1.5


def default_budget(n_samples: int, n_features: int, slowness: float = 1.0) -> float:
    """Return the seconds an automatic fit may take where the user names none.

    Examples
    --------
    >>> default_budget(8000, 12)
    53.2
    >>> default_budget(8000, 12, slowness=1.5)
    79.8
    """
    seconds = n_samples / ROWS_A_SECOND + n_samples * n_features / NUMBERS_A_SECOND
    return min(MOST_SECONDS, max(LEAST_SECONDS, round(slowness * seconds, 6)))


def measure_slowness() -> float:
    """Time a layer's step on one thread of this machine, beside the one the seconds are of.

    So an automatic fit does the same work everywhere, and takes as long beside other learners.
    """
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(STEP_ROWS, STEP_INPUTS, generator=generator)
    frequencies = torch.randn(STEP_INPUTS, STEP_COMPONENTS, generator=generator)
    angles, sines = torch.empty(2, STEP_ROWS, STEP_COMPONENTS)
    gradient = torch.empty_like(frequencies)

    def step() -> None:
        torch.mm(inputs, frequencies, out=angles)
        torch.sin(angles, out=sines)
        torch.mm(inputs.T, angles.cos_().mul_(sines), out=gradient)

    timings = []
    with thread_count(1, 0):
        for _ in range(N_TIMINGS):
            started = time.perf_counter()
            for _ in range(STEPS_A_TIMING):
                step()
            timings.append((time.perf_counter() - started) / STEPS_A_TIMING)
    # The least: other programs only ever add to it.
    return float(np.clip(min(timings) / STEP_SECONDS, LEAST_SLOWNESS, MOST_SLOWNESS))


class Clock:
    """Time since the start, and what is left of a budget; no budget is never used up.

    Parameters
    ----------
    budget : float or None
        Seconds.
    patience : float, default=1.0
        With more than one, time in which others have the processor counts less: down to
        1 / patience of it. It is for work of this process.

    Examples
    --------
    >>> Clock(60.0).allows(10.0), Clock(60.0).allows(90.0), Clock(None).allows(90.0)
    (True, False, True)
    """

    def __init__(self, budget: float | None, *, patience: float = 1.0) -> None:
        self.budget, self.patience = budget, patience
        self.started, self.worked_before = time.monotonic(), time.process_time()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def spent(self) -> float:
        """Seconds of the budget that are used up."""
        return self._count(self.seconds)

    @property
    def pace(self) -> float:
        """How much of the budget a second took so far: less than one where others were busy."""
        seconds = self.seconds
        return self._count(seconds) / seconds if seconds > 0.0 else 1.0

    def allows(self, seconds: float) -> bool:
        """Say whether so many more seconds of the budget are left."""
        return self.budget is None or self.spent + seconds <= self.budget

    def _count(self, seconds: float) -> float:
        worked = time.process_time() - self.worked_before
        # Several threads work more seconds than there are.
        return min(seconds, max(worked, seconds / self.patience))
