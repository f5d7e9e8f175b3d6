"""Inputs as training sees them: along the directions in which they vary, and by their relevance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning import Batch, Model, Source, TrainingOptions
from askl.learning.sources import DerivedSource
from askl.preprocessing.column_statistics import CONSTANT_SHARE

# The short training that measures relevance has this share of the epochs.
SHORT_SHARE = 0.25
# Before they are brought to a mean square of one, weights are at most 1 and at least this: an
# input that a short training has no use for may yet be of some.
LEAST_WEIGHT = 0.05
# Between correlations as they are, 0, and none, 1: much of what varies little is noise.
DECORRELATION = 0.5
# Directions of less than this share of the largest variance are taken to have so much.
LEAST_VARIANCE = 1e-4
BLOCK_ROWS = 4096


def weigh_inputs(relevance: Tensor) -> Tensor | None:
    """Turn mean squared gradients into weights of mean square one; None where all are zero.

    A weight is in proportion to the root of the mean squared gradient. So a kernel of one
    frequency scale for all inputs begins with a scale for each of them.

    Examples
    --------
    >>> import torch
    >>> weigh_inputs(torch.tensor([9.0, 9.0, 0.0, 0.0]))
    tensor([1.4124, 1.4124, 0.0706, 0.0706])
    """
    roots = relevance.sqrt()
    if not roots.isfinite().all() or not roots.any():
        return None
    weights = (roots / roots.max()).clamp_(min=LEAST_WEIGHT)
    return weights / weights.square().mean().sqrt()


def decorrelate_inputs(rows: Source) -> Tensor:
    """Return the matrix R whose columns are principal directions of standardised inputs.

    The variance v of the inputs along each becomes v^(1 − DECORRELATION) in x R.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import TensorRows
    >>> x = torch.tensor([[1.0, 1.0], [-1.0, -1.0], [0.1, -0.1], [-0.1, 0.1]])
    >>> rotation = decorrelate_inputs(TensorRows(x, torch.zeros(4, 1)))
    >>> (x @ rotation).square().mean(dim=0)  # of unit variances it would be 0.02 and 1.98
    tensor([0.1407, 1.4072])
    """
    mean, square = _moments(rows)
    covariance = square - mean.outer(mean)
    variances = covariance.diagonal()
    # A difference of two means rounds by a share of these: so variances are compared with them, not
    # deviations with means.
    varies = variances > CONSTANT_SHARE * square.diagonal()
    deviations = torch.where(varies, variances, 1.0).sqrt()
    spread, directions = torch.linalg.eigh(covariance / deviations.outer(deviations))
    least = LEAST_VARIANCE * max(1.0, float(spread[-1]))
    factors = spread.clamp(min=least) ** (-DECORRELATION / 2)
    rotation: Tensor = (directions * factors / deviations[:, None]).float()
    return rotation


def _moments(rows: Source) -> tuple[Tensor, Tensor]:
    """Average inputs, and their products with each other, in double precision."""
    sums = reduce(torch.add, map(_products, rows.blocks(BLOCK_ROWS)))
    means = sums / sums[-1, -1]
    return means[-1, :-1], means[:-1, :-1]


def _products(batch: Batch) -> Tensor:
    # A column of ones makes the sum of weights, the sums and the products one product.
    inputs = torch.nn.functional.pad(batch.inputs.double(), (0, 1), value=1.0)
    weights = batch.sample_weights
    weighed = inputs if weights is None else inputs * weights[:, None]
    return weighed.T @ inputs


class InputTransform(NamedTuple):
    """What training sees of inputs x: x R diag(w). None leaves them as they are."""

    rotation: Tensor | None = None
    weights: Tensor | None = None

    def mix(self, inputs: Tensor) -> Tensor:
        """Rotate some inputs, then weigh them."""
        if self.rotation is not None:
            inputs = inputs @ self.rotation
        return inputs if self.weights is None else inputs * self.weights

    def rows(self, rows: Source) -> Source:
        """Mix the inputs of some rows."""
        return TransformedRows(rows, self) if self._mixes() else rows

    def plain(self, model: Model) -> Model:
        """Turn a model of mixed inputs into the same function of plain ones.

        Every layer sees the inputs, the first nothing else and the others after the hidden
        features: R diag(w) goes into the frequencies.
        """
        if not self._mixes():
            return model
        n_inputs = model.layers[0].frequencies.shape[1]
        layers = []
        for layer in model.layers:
            below, own = layer.frequencies.split(
                [layer.frequencies.shape[1] - n_inputs, n_inputs], dim=1
            )
            if self.weights is not None:
                own = own * self.weights[:, None]
            if self.rotation is not None:
                own = self.rotation @ own
            layers.append(layer._replace(frequencies=torch.cat([below, own], dim=1)))
        return Model(tuple(layers), model.weights)

    def _mixes(self) -> bool:
        return self.rotation is not None or self.weights is not None


class TransformedRows(DerivedSource):
    """A source of rows whose inputs are mixed."""

    def __init__(self, source: Source, mixing: InputTransform) -> None:
        super().__init__(source)
        self.mixing = mixing

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return the mixed batches of an epoch."""
        return map(self._mix, self.source.epoch(batch_size, generator, skip=skip))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, mixed."""
        return map(self._mix, self.source.blocks(n_rows))

    def _mix(self, batch: Batch) -> Batch:
        return batch._replace(inputs=self.mixing.mix(batch.inputs))


def shorten(options: TrainingOptions) -> TrainingOptions:
    """Return the options of the short training."""
    epochs = math.ceil(SHORT_SHARE * options.max_epochs)
    return options._replace(max_epochs=epochs, patience=None, record_every=None)
