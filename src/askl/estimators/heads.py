"""Heads that are solved, not descended to: one to start from, and one to end with."""

from __future__ import annotations

import math
from functools import partial
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor

from askl.estimators.fitting import BLOCK_ROWS, Rows
from askl.learning import Batch, Model, Source, compute_features
from askl.learning.exact import NormalEquations, choose_head, leverages

STRENGTHS = tuple(10.0**power for power in range(-9, 1))
# Nine tenths of a normal lie within this many deviations.
NORMAL_90 = 1.6448536269514722
# A first head is a ridge of this strength on so many rows for each feature.
START_STRENGTH = 1e-4
START_ROWS = 8
# Class outputs of a first head lie this far apart, where a softmax begins to decide.
START_MARGIN = 4.0


def solve_first_head(model: Model, source: Source, generator: torch.Generator) -> Tensor:
    """Solve a head for the frequencies as drawn, on a few rows: about an epoch's descent.

    Returns
    -------
    Tensor of shape (width, n_outputs), float64
    """
    n_rows = START_ROWS * model.layers[-1].width
    block_rows = min(n_rows, BLOCK_ROWS)
    blocks = islice(source.epoch(block_rows, generator), math.ceil(n_rows / block_rows))
    equations = NormalEquations(model.layers, compute_features)
    equations.add(map(partial(_as_numbers, n_outputs=model.weights.shape[1]), blocks))
    return equations.solve(START_STRENGTH)


def _as_numbers(batch: Batch, n_outputs: int) -> Batch:
    """Turn class indices into outputs to wish for; numbers stay as they are."""
    if batch.targets.ndim > 1:
        return batch
    indicators = torch.nn.functional.one_hot(batch.targets, n_outputs).to(batch.inputs.dtype)
    return batch._replace(targets=START_MARGIN * (indicators - 1.0 / n_outputs))


class ExactHead(NamedTuple):
    """What an exact solve knows beyond W.

    ``strength`` is None where descent's head stayed. ``factor`` is the Cholesky factor of the
    regularised Gram matrix, ``noise`` the calibrated noise deviation of each output.
    """

    strength: float | None
    factor: Tensor
    noise: Tensor


def solve_exact_head(model: Model, rows: Rows, strength: float | None) -> ExactHead:
    """Replace the head by ridge regression on the features of all rows, where that helps.

    Without a given strength, held-out rows choose one, or choose to keep the head as it is.
    """
    # NOTE[DIFF]: an exact solve has the squared Frobenius norm, also where descent had the
    # trace norm; for one output both shrink along the same path.
    equations = NormalEquations(model.layers, compute_features)
    equations.add(rows.train.blocks(BLOCK_ROWS))
    if rows.held_out is None:
        if strength is None:
            raise ValueError("Choosing the strength of an exact head needs held-out rows.")
        model.weights.copy_(equations.solve(strength))
        return ExactHead(strength, equations.factor(strength), _noise(model, rows.train, None))
    held_out: list[Batch] = list(rows.held_out.blocks(BLOCK_ROWS))
    keep = False
    if strength is None:
        strength, keep = choose_head(equations, held_out, STRENGTHS, model.weights)
    if not keep:
        model.weights.copy_(equations.solve(strength))
    noise = _noise(model, rows.held_out, equations.factor(strength))
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
