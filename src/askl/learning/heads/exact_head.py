"""The last stage of a regression: solve the head exactly, and measure the noise it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning.heads.ridge import NormalEquations, choose_head, leverages
from askl.learning.model import Model, compute_features
from askl.learning.sources import BLOCK_ROWS, Source, Split

# The strengths that held-out rows choose from.
STRENGTHS = tuple(10.0**power for power in range(-9, 1))
# Nine tenths of a normal distribution lie within this many standard deviations.
NORMAL_90 = 1.6448536269514722


class ExactHead(NamedTuple):
    """What an exact solution knows beyond W.

    Attributes
    ----------
    strength : float or None
        λ of the ridge regression. None where the trained head was kept.
    factor : Tensor of shape (width, width)
        Cholesky factor of the regularised Gram matrix of all rows.
    noise : Tensor of shape (n_outputs,)
        Standard deviation of the noise of each output, calibrated for 90 % intervals.
    """

    strength: float | None
    factor: Tensor
    noise: Tensor


def solve_exact_head(
    model: Model,
    split: Split,
    strength: float | None,
    *,
    strengths: Sequence[float] = STRENGTHS,
    block_rows: int = BLOCK_ROWS,
) -> ExactHead:
    """Replace the head by ridge regression on the features, unless the trained head is better.

    Parameters
    ----------
    model : Model
        Its weights are overwritten.
    split : Split
        If rows are held out, they calibrate the noise before they join the others.
    strength : float or None
        λ. None: held-out rows choose one of ``strengths``, or to keep the trained head.
    strengths : sequence of float
    block_rows : int
        Rows to process at a time.

    Returns
    -------
    ExactHead
    """
    # NOTE[DIFF]: an exact solution has the squared Frobenius norm, also where training had the
    # trace norm; for one output both shrink along the same path.
    equations = NormalEquations(model.layers).add(split.train.blocks(block_rows))
    if split.held_out is None:
        if strength is None:
            raise ValueError("Choosing the strength of an exact head needs held-out rows.")
        model.weights.copy_(equations.solve(strength))
        noise = _calibrated_noise(model, split.train, None, block_rows)
        return ExactHead(strength, equations.factor(strength), noise)
    held_out, keep = list(split.held_out.blocks(block_rows)), False
    if strength is None:
        strength, keep = choose_head(equations, held_out, strengths, model.weights)
    if not keep:
        model.weights.copy_(equations.solve(strength))
    noise = _calibrated_noise(model, split.held_out, equations.factor(strength), block_rows)
    if split.held_out_joins:
        equations.add(held_out)
        if not keep:
            model.weights.copy_(equations.solve(strength))
    return ExactHead(None if keep else strength, equations.factor(strength), noise)


def _calibrated_noise(model: Model, rows: Source, factor: Tensor | None, block_rows: int) -> Tensor:
    """Return the noise of each output for which 90 % intervals hold 90 % of these rows.

    A factor is for rows that the head was not solved on: there the deviation of an output also
    has the part that the leverage measures.
    """
    ratios = []
    for batch in rows.blocks(block_rows):
        features = compute_features(batch.inputs, model.layers)
        residuals = (features @ model.weights - batch.targets).double().abs()
        if factor is not None:
            residuals /= (1.0 + leverages(features, factor)).sqrt()[:, None]
        ratios.append(residuals)
    return torch.cat(ratios).quantile(0.9, dim=0) / NORMAL_90
