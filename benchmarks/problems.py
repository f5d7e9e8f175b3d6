"""Random problems of a given shape, for measurements that depend on the shape only."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning import Model
from askl.spectral import Layer, draw_frequencies, draw_phases, natural_scale


class Shape(NamedTuple):
    """d, D, K and the rows of a batch; one output means regression."""

    n_features: int
    n_components: int
    n_outputs: int
    batch_size: int


def draw_rows(shape: Shape, n_rows: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw standard normal inputs, and targets that are independent of them."""
    inputs = torch.randn(n_rows, shape.n_features, generator=generator)
    if shape.n_outputs == 1:
        return inputs, torch.randn(n_rows, 1, generator=generator)
    return inputs, torch.randint(shape.n_outputs, (n_rows,), generator=generator)


def draw_model(shape: Shape, generator: torch.Generator) -> Model:
    """Draw a non-stationary model at its natural scale, so that its angles are realistic.

    Sine and cosine of very large angles are slow.
    """
    frequencies = draw_frequencies(
        shape.n_features,
        shape.n_components,
        scale=natural_scale("gaussian", shape.n_features),
        generator=generator,
    )
    phases = draw_phases(shape.n_components, generator=generator)
    weights = torch.randn(shape.n_components, shape.n_outputs, generator=generator)
    return Model((Layer(frequencies, phases),), weights)
