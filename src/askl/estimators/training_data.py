"""What a fit learns from: encoded arrays, or a stream that is read again in every epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from askl._typing import Array
from askl.estimators.build import Plan
from askl.estimators.inputs import input_rows, normalized_weights
from askl.estimators.parameters import SpectralParameters
from askl.estimators.split import split_rows
from askl.learning import TensorRows
from askl.learning.sources import Split
from askl.persistence.checkpoint import digest_rows
from askl.preprocessing.column_orders import complete_symmetries, pool_columns
from askl.preprocessing.input_scaling import Scaling, fit_scaling
from askl.streaming.rows import BUFFER_ROWS, MOST_HELD_OUT, RowEncoder, Stream, StreamRows

# Relevance is measured on the first rows.
RELEVANCE_ROWS = 512


class EncodedRows(NamedTuple):
    """Rows to train on and rows held out, and the inputs that relevance is measured on."""

    split: Split
    sample: Tensor


class TrainingData(Protocol):
    """What the stages of a fit need from their data."""

    @property
    def n_features(self) -> int:
        """The number of inputs."""
        ...

    def fit_scaling(self, parameters: SpectralParameters) -> Scaling:
        """Fit the scaling of the inputs, the same for exchangeable columns."""
        ...

    def encode(self, plan: Plan, scaling: Scaling, generator: torch.Generator) -> EncodedRows:
        """Scale the inputs, and hold out rows where the plan asks for it."""
        ...

    def digest(self) -> str:
        """Return a hash that tells these data from others."""
        ...


def column_orders(parameters: SpectralParameters, n_features: int) -> Array | None:
    """Return all orders of the columns that the symmetries allow; None without symmetries."""
    if not parameters.symmetries:
        return None
    return complete_symmetries(parameters.symmetries, n_features)


class ArrayData(NamedTuple):
    """Validated inputs and encoded targets in memory, and the user's own rows to hold out."""

    X: Any
    targets: Array
    sample_weight: Array | None = None
    held_out: tuple[Any, Array] | None = None

    @property
    def n_features(self) -> int:
        """The number of inputs."""
        return int(self.X.shape[1])

    def fit_scaling(self, parameters: SpectralParameters) -> Scaling:
        """Fit the scaling of the inputs, the same for exchangeable columns."""
        orders = column_orders(parameters, self.n_features)
        X = self.X if orders is None else pool_columns(self.X, orders)
        return fit_scaling(X, parameters.scale_inputs, self.sample_weight)

    def encode(
        self, plan: Plan, scaling: Scaling, generator: torch.Generator, *, hold_out: bool = True
    ) -> EncodedRows:
        """Scale the inputs, and hold out rows where the plan asks for it and it is allowed."""
        rows = self._tensor_rows(plan, scaling)
        split = Split(rows, None)
        if self.held_out is not None:
            given = ArrayData(*self.held_out)._tensor_rows(plan, scaling)
            split = Split(rows, given, held_out_joins=False)
        elif hold_out and plan.holds_out(rows.n_samples):
            fraction, stratify = plan.held_out_share(rows.n_samples), rows.targets.ndim == 1
            split = split_rows(rows, fraction, generator, stratify=stratify)
        first = torch.arange(min(RELEVANCE_ROWS, rows.n_samples))
        return EncodedRows(split, rows.rows(first).inputs)

    def _tensor_rows(self, plan: Plan, scaling: Scaling) -> TensorRows:
        device = torch.device(plan.parameters.device)
        return TensorRows(
            input_rows(self.X, scaling, device),
            torch.from_numpy(self.targets).to(device),
            normalized_weights(self.sample_weight, device),
        )

    def digest(self) -> str:
        """Return a hash that tells these data from others."""
        held_out = self.held_out or (None, None)
        return digest_rows(self.X, self.targets, self.sample_weight, *held_out)


class StreamData(NamedTuple):
    """A stream that was read once, and how its targets are encoded and its classes weighted."""

    stream: Stream
    encode_targets: Callable[[Array], Array]
    class_weights: Array | None = None
    buffer_rows: int = BUFFER_ROWS

    @property
    def n_features(self) -> int:
        """The number of inputs."""
        return int(self.stream.statistics.X.shape[1])

    def fit_scaling(self, parameters: SpectralParameters) -> Scaling:
        """Fit the scaling of the inputs, the same for exchangeable columns."""
        orders = column_orders(parameters, self.n_features)
        return self.stream.statistics.fit_scaling(parameters.scale_inputs, orders)

    def encode(self, plan: Plan, scaling: Scaling, generator: torch.Generator) -> EncodedRows:
        """Scale the inputs, and hold out some of the sampled rows."""
        found, device = self.stream.statistics, torch.device(plan.parameters.device)
        weights = self.class_weights
        tensor = None if weights is None else torch.from_numpy(weights).float().to(device)
        encoder = RowEncoder(scaling.apply, self.encode_targets, tensor)
        rows = StreamRows(
            self.stream,
            encoder,
            device,
            self._count_held_out(plan),
            buffer_rows=self.buffer_rows,
        )
        split = Split(rows, rows.held_out() if rows.n_samples < found.n_rows else None)
        sample, _ = encoder.encode(found.X[:RELEVANCE_ROWS], found.y[:RELEVANCE_ROWS])
        return EncodedRows(split, sample.to(device))

    def _count_held_out(self, plan: Plan) -> int:
        """Return how many rows to hold out; they are rows of the sample."""
        n_rows, n_sampled = self.stream.statistics.n_rows, len(self.stream.statistics.keys)
        # The noise of a solved head is measured on rows that fit in memory.
        if not (plan.holds_out(n_rows) or plan.solves_head):
            return 0
        wanted = max(1, round(plan.held_out_share(n_rows) * n_rows))
        return min(wanted, MOST_HELD_OUT, n_sampled, n_rows - 1)

    def digest(self) -> str:
        """Return a hash that tells these data from others."""
        found = self.stream.statistics
        return digest_rows(found.keys, found.X, found.y, np.array(found.partition_rows))
