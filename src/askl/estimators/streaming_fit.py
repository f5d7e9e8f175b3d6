"""The fit to streams that the classifier and the regressor share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from askl._typing import Array
from askl.estimators.fit import RELEVANCE_ROWS, SpectralLearner
from askl.estimators.split import Score
from askl.learning.sources import Split
from askl.persistence.checkpoint import digest_rows
from askl.streaming.rows import MOST_HELD_OUT, RowEncoder, Stream, StreamRows
from askl.streaming.sources import open_source
from askl.streaming.statistics import collect_statistics


class StreamLearner(SpectralLearner):
    """A spectral kernel model that learns from arrays, and from more rows than memory holds."""

    def _open_stream(
        self,
        source: Any,
        target: str | Sequence[str] | None,
        on_targets: Callable[[Array], None],
    ) -> Stream:
        """Open a source and pass over it once."""
        partitions, kept = open_source(source, target), self._kept_seed()
        seed = self._draw_seed() if kept is None else kept
        stream = Stream(partitions, collect_statistics(partitions, seed, on_targets), seed)
        self.n_features_in_ = stream.statistics.X.shape[1]
        if partitions.feature_names is not None:
            self.feature_names_in_ = np.array(partitions.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return stream

    def _fit_stream(
        self,
        stream: Stream,
        encode: Callable[[Array], Array],
        class_weights: Array | None,
        *,
        n_outputs: int,
        score: Score,
    ) -> None:
        """Scale, draw, hold out rows where that is asked, and learn."""
        found = stream.statistics
        scale = partial(found.fit_scaling, self.scale_inputs, self._orders(self.n_features_in_))
        generator = self._start(self.n_features_in_, n_outputs, scale, seed=stream.seed)
        weights = None if class_weights is None else torch.from_numpy(class_weights).float()
        device = self._torch_device()
        encoder = RowEncoder(
            self.scaling_.apply, encode, None if weights is None else weights.to(device)
        )
        rows = StreamRows(stream, encoder, device, self._n_held_out(stream))
        split = Split(rows, rows.held_out() if rows.n_samples < found.n_rows else None)
        sample, _ = encoder.encode(found.X[:RELEVANCE_ROWS], found.y[:RELEVANCE_ROWS])
        digest = partial(digest_rows, found.keys, found.X, found.y, np.array(found.partition_rows))
        self._learn(split, generator, score, sample.to(device), digest)

    def _n_held_out(self, stream: Stream) -> int:
        """Choose how many rows to hold out, of those in the sample."""
        n_rows, n_sampled = stream.statistics.n_rows, len(stream.statistics.keys)
        # An exact head's noise is measured on rows that fit in memory.
        if not (self._holds_out(n_rows) or self.solves_head()):
            return 0
        wanted = max(1, round(self.validation_fraction * n_rows))
        return min(wanted, MOST_HELD_OUT, n_sampled, n_rows - 1)
