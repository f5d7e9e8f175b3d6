"""Dropout of features. Processes that divide rows or components draw the same masks."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from askl.spectral.features import Layer


class Dropout(NamedTuple):
    """Leaves out features at random in training.

    Attributes
    ----------
    rate : float
        The probability to leave out a feature.
    generator : torch.Generator
    components : slice
        The components of a layer that this process has.
    """

    rate: float
    generator: torch.Generator
    components: slice = slice(None)

    def mask(self, layer: Layer, *, n_rows: int, part: slice) -> Tensor:
        """Draw a mask: each entry is 0 with the probability ``rate``, and else 1 / (1 - rate).

        All processes draw the mask of all ``n_rows`` rows and all components, and each returns
        the part for its rows and components.
        """
        n_components = layer.frequencies.shape[2]
        shape = (n_rows, layer.width // n_components, layer.n_whole or n_components)
        n_entries = math.prod(shape)
        # Eight random bytes from each 64-bit integer: ten times as fast as bernoulli_.
        draws = torch.empty(-(-n_entries // 8), dtype=torch.int64)
        # All integers, negative ones included: by default the sign bit would always be zero.
        draws.random_(torch.iinfo(torch.int64).min, None, generator=self.generator)
        threshold = min(round(256 * self.rate), 255)
        drawn = draws.view(torch.uint8)[:n_entries].view(n_rows, -1)
        if part != slice(0, n_rows) or layer.n_whole:
            drawn = drawn.view(shape)[part, :, self.components].reshape(-1, layer.width)
        # Writing numbers, not booleans, is five times as fast as a conversion afterwards.
        kept = torch.empty(drawn.shape, dtype=layer.frequencies.dtype)
        torch.ge(drawn, threshold, out=kept)
        return kept.div_(1.0 - threshold / 256).to(layer.frequencies.device)
