"""The head that is solved exactly at the end of a fit, its strength chosen on held-out rows."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.model import Model, compute_features
from askl.learning.ridge import NormalEquations, choose_head, leverages
from askl.learning.sources import BLOCK_ROWS, Batch, Source, Split

STRENGTHS = tuple(10.0**power for power in range(-9, 1))
# Nine tenths of a normal lie within this many deviations.
NORMAL_90 = 1.6448536269514722


class ExactHead(NamedTuple):
    """What an exact solve knows beyond W.

    ``strength`` is None where descent's head stayed. ``factor`` is the Cholesky factor of the
    regularised Gram matrix, ``noise`` the calibrated noise deviation of each output.
    """

    strength: float | None
    factor: Tensor
    noise: Tensor


def solve_exact_head(model: Model, split: Split, strength: float | None) -> ExactHead:
    """Replace the head by ridge regression on the features of all rows, where that helps.

    Without a given strength, held-out rows choose one, or choose to keep the head as it is.
    """
    # NOTE[DIFF]: an exact solve has the squared Frobenius norm, also where descent had the
    # trace norm; for one output both shrink along the same path.
    equations = NormalEquations(model.layers, compute_features)
    equations.add(split.train.blocks(BLOCK_ROWS))
    if split.held_out is None:
        if strength is None:
            raise ValueError("Choosing the strength of an exact head needs held-out rows.")
        model.weights.copy_(equations.solve(strength))
        return ExactHead(strength, equations.factor(strength), _noise(model, split.train, None))
    held_out: list[Batch] = list(split.held_out.blocks(BLOCK_ROWS))
    keep = False
    if strength is None:
        strength, keep = choose_head(equations, held_out, STRENGTHS, model.weights)
    if not keep:
        model.weights.copy_(equations.solve(strength))
    noise = _noise(model, split.held_out, equations.factor(strength))
    equations.add(held_out)
    if not keep:
        model.weights.copy_(equations.solve(strength))
    return ExactHead(None if keep else strength, equations.factor(strength), noise)


def _noise(model: Model, rows: Source, factor: Tensor | None) -> Tensor:
    """Find each output's noise deviation, so that 90 % intervals hold 90 % of these rows.

    On held-out rows the leverages under ``factor`` are part of the deviation; on training rows
    residuals are taken as they are.
    """
    ratios = []
    for batch in rows.blocks(BLOCK_ROWS):
        features = compute_features(batch.inputs, model.layers)
        residuals = (features @ model.weights - batch.targets).double().abs()
        if factor is not None:
            residuals /= (1.0 + leverages(features, factor)).sqrt()[:, None]
        ratios.append(residuals)
    return torch.cat(ratios).quantile(0.9, dim=0) / NORMAL_90
