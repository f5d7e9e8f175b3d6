"""How many threads a computation uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from askl.learning import (
    Model,
)

# Below this many multiplications a step, a second thread costs more than it brings.
THREADING_WORK = 2e8


def work(model: Model, n_rows: int) -> float:
    """Count the multiplications of one pass over some rows."""
    return float(n_rows) * sum(layer.frequencies.numel() for layer in model.layers)


@contextmanager
def thread_count(n_threads: int | None, work: float) -> Iterator[None]:
    """Run with a number of threads, by default one for small steps, and restore it after."""
    before = torch.get_num_threads()
    wanted = n_threads or (before if work >= THREADING_WORK else 1)
    torch.set_num_threads(wanted)
    try:
        yield
    finally:
        torch.set_num_threads(before)
