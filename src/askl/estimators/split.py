"""Rows to train on and rows held out, and the score on the latter."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from askl.learning import (
    Model,
    TensorRows,
    compute_outputs,
)
from askl.learning.sources import BLOCK_ROWS, Split

# With fewer rows than this, none are held out unless early stopping asks for it.
MIN_ROWS_TO_HOLD_OUT = 100


Score = Callable[[Tensor, Tensor, Tensor | None], float]


def split_rows(
    rows: TensorRows, fraction: float, generator: torch.Generator, *, stratify: bool
) -> Split:
    """Hold out a fraction of the rows at random, of each class alike where there are classes."""
    n_samples = len(rows.targets)
    order = torch.randperm(n_samples, generator=generator)
    if stratify:
        order = _spread_classes(rows.targets.cpu(), order)
    n_held_out = max(1, round(fraction * n_samples))
    if n_held_out >= n_samples:
        raise ValueError(
            f"A validation split of {fraction:g} leaves no row to train on: n_samples={n_samples}. "
            "Give more rows, a smaller validation_fraction, or early_stopping=False."
        )
    return Split(rows.subset(order[n_held_out:].sort().values), rows.subset(order[:n_held_out]))


def _spread_classes(targets: Tensor, order: Tensor) -> Tensor:
    """Reorder rows so that every stretch of them holds the classes in proportion."""
    position = torch.empty(len(targets), dtype=torch.float64)
    for label in targets.unique():
        members = order[targets[order] == label]
        steps = torch.arange(len(members), dtype=torch.float64)
        position[members] = (steps + 0.5) / len(members)
    return order[position[order].argsort(stable=True)]


def score_on(rows: TensorRows | None, score: Score) -> Callable[[Model], float] | None:
    """Make a function of the model that scores it on held-out rows."""
    if rows is None:
        return None

    def evaluate(model: Model) -> float:
        outputs = torch.cat(
            [compute_outputs(batch.inputs, model) for batch in rows.blocks(BLOCK_ROWS)]
        )
        return score(outputs, rows.targets, rows.sample_weights)

    return evaluate
