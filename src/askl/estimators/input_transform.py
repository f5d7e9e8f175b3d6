"""Transforms of the scaled inputs during training: decorrelated, and weighted by relevance.

They are folded into the frequencies afterwards: a trained model takes untransformed inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning import Batch, Model, Source, TrainingOptions
from askl.learning.sources import BLOCK_ROWS, DerivedSource
from askl.preprocessing.column_statistics import CONSTANT_SHARE

# The short training that measures relevance has this share of the epochs.
SHORT_SHARE = 0.25
# The smallest weight, relative to the largest: a short training may overlook a useful input.
LEAST_WEIGHT = 0.05
# From 0, which leaves correlations as they are, to 1, which removes them together with the
# difference between signal and noise: directions of little variance are mostly noise.
DECORRELATION = 0.5
# Smaller variances, relative to the largest, are raised to this one.
LEAST_VARIANCE = 1e-4


def relevance_weights(relevance: Tensor) -> Tensor | None:
    """Return a weight for each input, with mean square one; None if nothing is relevant.

    Weights are proportional to the root of the mean squared gradient. In effect, a kernel with
    the same frequency scale for all inputs gets a frequency scale for each of them.

    Examples
    --------
    >>> import torch
    >>> relevance_weights(torch.tensor([9.0, 9.0, 0.0, 0.0]))
    tensor([1.4124, 1.4124, 0.0706, 0.0706])
    """
    roots = relevance.sqrt()
    if not roots.isfinite().all() or not roots.any():
        return None
    weights = (roots / roots.max()).clamp_(min=LEAST_WEIGHT)
    return weights / weights.square().mean().sqrt()


def decorrelating_matrix(rows: Source, *, block_rows: int = BLOCK_ROWS) -> Tensor:
    """Return the matrix R whose columns are principal directions of the standardised inputs.

    In x R, a direction with variance v has variance v^(1 − DECORRELATION).

    Examples
    --------
    >>> import torch
    >>> from askl.learning import TensorRows
    >>> x = torch.tensor([[1.0, 1.0], [-1.0, -1.0], [0.1, -0.1], [-0.1, 0.1]])
    >>> matrix = decorrelating_matrix(TensorRows(x, torch.zeros(4, 1)))
    >>> (x @ matrix).square().mean(dim=0)  # the roots of 0.02 and 1.98
    tensor([0.1407, 1.4072])
    """
    mean, square = _moments(rows, block_rows)
    covariance = square - mean.outer(mean)
    variances = covariance.diagonal()
    # Differences of means have rounding errors in proportion to the squares, not to the means.
    varies = variances > CONSTANT_SHARE * square.diagonal()
    deviations = torch.where(varies, variances, 1.0).sqrt()
    eigenvalues, directions = torch.linalg.eigh(covariance / deviations.outer(deviations))
    least = LEAST_VARIANCE * max(1.0, float(eigenvalues[-1]))
    factors = eigenvalues.clamp(min=least) ** (-DECORRELATION / 2)
    matrix: Tensor = (directions * factors / deviations[:, None]).float()
    return matrix


def _moments(rows: Source, block_rows: int) -> tuple[Tensor, Tensor]:
    """Return the means of the inputs and of their products, in double precision."""
    sums = reduce(torch.add, map(_products, rows.blocks(block_rows)))
    means = sums / sums[-1, -1]
    return means[-1, :-1], means[:-1, :-1]


def _products(batch: Batch) -> Tensor:
    # With a column of ones, a single matrix has the sums, the products and the total weight.
    inputs = torch.nn.functional.pad(batch.inputs.double(), (0, 1), value=1.0)
    weights = batch.sample_weights
    weighted = inputs if weights is None else inputs * weights[:, None]
    return weighted.T @ inputs


class InputTransform(NamedTuple):
    """The linear map x R diag(w) of inputs x, where R or w may be None.

    Attributes
    ----------
    matrix : Tensor of shape (width, width), optional
        R.
    weights : Tensor of shape (width,), optional
        w.
    """

    matrix: Tensor | None = None
    weights: Tensor | None = None

    @property
    def is_identity(self) -> bool:
        """Whether inputs stay as they are."""
        return self.matrix is None and self.weights is None

    def apply(self, inputs: Tensor) -> Tensor:
        """Transform some inputs."""
        if self.matrix is not None:
            inputs = inputs @ self.matrix
        return inputs if self.weights is None else inputs * self.weights

    def apply_to_rows(self, rows: Source) -> Source:
        """Return the source of the same rows with transformed inputs."""
        return rows if self.is_identity else TransformedRows(rows, self)

    def fold_into(self, model: Model) -> Model:
        """Return the model that does to inputs what the given one does to transformed inputs.

        Every layer sees the inputs: the first one nothing else, the others after the hidden
        features. R diag(w) is multiplied into their frequencies.
        """
        if self.is_identity:
            return model
        n_inputs = model.layers[0].frequencies.shape[1]
        layers = []
        for layer in model.layers:
            below, own = layer.frequencies.split(
                [layer.frequencies.shape[1] - n_inputs, n_inputs], dim=1
            )
            if self.weights is not None:
                own = own * self.weights[:, None]
            if self.matrix is not None:
                own = self.matrix @ own
            layers.append(layer._replace(frequencies=torch.cat([below, own], dim=1)))
        return Model(tuple(layers), model.weights)


class TransformedRows(DerivedSource):
    """A source of rows with transformed inputs."""

    def __init__(self, source: Source, transform: InputTransform) -> None:
        super().__init__(source)
        self.transform = transform

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return the transformed batches of an epoch."""
        return map(self._transformed, self.source.epoch(batch_size, generator, skip=skip))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, transformed."""
        return map(self._transformed, self.source.blocks(n_rows))

    def _transformed(self, batch: Batch) -> Batch:
        return batch._replace(inputs=self.transform.apply(batch.inputs))


def short_training(options: TrainingOptions) -> TrainingOptions:
    """Return the options of the short training."""
    epochs = math.ceil(SHORT_SHARE * options.max_epochs)
    return options._replace(max_epochs=epochs, patience=None, record_every=None)
