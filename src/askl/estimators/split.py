"""Rows that are held out from training, and the score of a model on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from askl._typing import Array
from askl.learning import Model, TensorRows, compute_outputs
from askl.learning.sources import BLOCK_ROWS, Split

# With fewer rows, none are held out to choose the penalty of a solved head.
MIN_ROWS_TO_HOLD_OUT = 100

Score = Callable[[Tensor, Tensor, Tensor | None], float]


def split_rows(
    rows: TensorRows, fraction: float, generator: torch.Generator, *, stratify: bool
) -> Split:
    """Hold out a random fraction of the rows, in each class the same one with ``stratify``."""
    n_samples = len(rows.targets)
    order = torch.randperm(n_samples, generator=generator)
    if stratify:
        order = _alternate_classes(rows.targets.cpu(), order)
    n_held_out = max(1, round(fraction * n_samples))
    if n_held_out >= n_samples:
        raise ValueError(
            f"A validation split of {fraction:g} leaves no row to train on: n_samples={n_samples}. "
            "Give more rows, a smaller validation_fraction, or early_stopping=False."
        )
    return Split(rows.subset(order[n_held_out:].sort().values), rows.subset(order[:n_held_out]))


def _alternate_classes(targets: Tensor, order: Tensor) -> Tensor:
    """Reorder rows so that any consecutive ones contain the classes in proportion."""
    position = torch.empty(len(targets), dtype=torch.float64)
    for label in targets.unique():
        members = order[targets[order] == label]
        steps = torch.arange(len(members), dtype=torch.float64)
        position[members] = (steps + 0.5) / len(members)
    return order[position[order].argsort(stable=True)]


def make_scorer(
    rows: TensorRows | None, score: Score | None, *, block_rows: int = BLOCK_ROWS
) -> Callable[[Model], float] | None:
    """Return the function that scores a model on held-out rows; None without rows."""
    if rows is None or score is None:
        return None

    def evaluate(model: Model) -> float:
        outputs = _outputs(rows, model, block_rows)
        return score(outputs, rows.targets, rows.sample_weights)

    return evaluate


class HeldOut(NamedTuple):
    """Held-out rows as the trained model sees them, before its head is solved exactly.

    Attributes
    ----------
    outputs : ndarray of shape (n_samples, n_outputs)
    targets : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        As the loss takes them.
    sample_weights : ndarray of shape (n_samples,) or None
    """

    outputs: Array
    targets: Array
    sample_weights: Array | None


def predict_held_out(model: Model, rows: TensorRows, *, block_rows: int = BLOCK_ROWS) -> HeldOut:
    """Compute the outputs of a model on held-out rows."""
    weights = None if rows.sample_weights is None else rows.sample_weights.cpu().numpy()
    outputs = _outputs(rows, model, block_rows).cpu().numpy()
    return HeldOut(outputs, rows.targets.cpu().numpy(), weights)


def _outputs(rows: TensorRows, model: Model, block_rows: int) -> Tensor:
    blocks = rows.blocks(block_rows)
    return torch.cat([compute_outputs(batch.inputs, model) for batch in blocks])
