"""Inputs weighed by their relevance: a short training tells what the real one is to look at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning import Batch, Model, Source, TrainingOptions

# The short training has this share of the epochs.
SHORT_SHARE = 0.25
# Before they are brought to a mean square of one, weights are at most 1 and at least this: an
# input that a short training has no use for may yet be of some.
LEAST_WEIGHT = 0.05


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


class WeighedRows(NamedTuple):
    """A source of rows whose inputs are multiplied by a weight each."""

    rows: Source
    weights: Tensor

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        return self.rows.n_samples

    def n_batches(self, batch_size: int) -> int:
        """Return how many batches an epoch has."""
        return self.rows.n_batches(batch_size)

    def epoch(
        self, batch_size: int, generator: torch.Generator, *, skip: int = 0
    ) -> Iterator[Batch]:
        """Return the weighed batches of an epoch."""
        return map(self._weigh, self.rows.epoch(batch_size, generator, skip=skip))

    def blocks(self, n_rows: int) -> Iterator[Batch]:
        """Yield all rows in their own order, weighed."""
        return map(self._weigh, self.rows.blocks(n_rows))

    def _weigh(self, batch: Batch) -> Batch:
        return batch._replace(inputs=batch.inputs * self.weights)


class Weighing(NamedTuple):
    """What a fit weighs its inputs with; None leaves them as they are."""

    weights: Tensor | None = None

    def rows(self, rows: Source) -> Source:
        """Weigh the inputs of some rows."""
        return rows if self.weights is None else WeighedRows(rows, self.weights)

    def plain(self, model: Model) -> Model:
        """Turn a model of weighed inputs into the same function of plain ones.

        Every layer sees the inputs, the first nothing else and the others after the hidden
        features: the weights go into the frequencies.
        """
        if self.weights is None:
            return model
        layers = []
        for layer in model.layers:
            n_hidden = layer.frequencies.shape[1] - len(self.weights)
            factors = torch.cat([self.weights.new_ones(n_hidden), self.weights])
            layers.append(layer._replace(frequencies=layer.frequencies * factors[:, None]))
        return Model(tuple(layers), model.weights)


def shorten(options: TrainingOptions) -> TrainingOptions:
    """Return the options of the short training."""
    epochs = math.ceil(SHORT_SHARE * options.max_epochs)
    return options._replace(max_epochs=epochs, patience=None, record_every=None)
