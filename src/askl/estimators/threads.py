"""How many threads a computation uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from askl.learning import Model

# Below this many multiplications a step, a second thread costs more time than it saves.
THREADING_MULTIPLICATIONS = 2e8


def count_multiplications(model: Model, n_rows: int) -> float:
    """Count the multiplications of one pass of some rows through the layers."""
    return float(n_rows) * sum(layer.frequencies.numel() for layer in model.layers)


def choose_threads(n_threads: int | None, multiplications: float, available: int) -> int:
    """Return the number of threads; None is all that are available, or one for small steps.

    Examples
    --------
    >>> choose_threads(None, 1e9, 8), choose_threads(None, 1e3, 8), choose_threads(2, 1e3, 8)
    (8, 1, 2)
    """
    return n_threads or (available if multiplications >= THREADING_MULTIPLICATIONS else 1)


@contextmanager
def use_threads(n_threads: int | None, multiplications: float) -> Iterator[None]:
    """Run the block with a number of threads, and restore the number from before."""
    before = torch.get_num_threads()
    torch.set_num_threads(choose_threads(n_threads, multiplications, before))
    try:
        yield
    finally:
        torch.set_num_threads(before)
