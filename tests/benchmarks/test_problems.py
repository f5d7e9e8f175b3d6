"""Random problems: realistic angles, and targets of all classes."""

from __future__ import annotations

import torch

from benchmarks.problems import Shape, draw_model, draw_rows

SHAPE = Shape(3, 16, 2, 8)


def test_drawn_angles_are_realistic(generator: torch.Generator) -> None:
    (layer,), weights = draw_model(SHAPE, generator)
    inputs, targets = draw_rows(SHAPE, 500, generator)
    angles = inputs @ layer.frequencies[0]
    assert 0.5 < float(angles.std()) < 3.0
    assert weights.shape == (16, 2)
    assert set(targets.tolist()) == {0, 1}
