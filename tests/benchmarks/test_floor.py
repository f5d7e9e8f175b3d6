"""The floor: the same products as the library's, and nothing that grows."""

from __future__ import annotations

import torch

from benchmarks.floor import prediction_floor, training_floor
from benchmarks.problems import Shape

SHAPE = Shape(3, 16, 2, 8)


def test_floors_run(generator: torch.Generator) -> None:
    with torch.no_grad():
        assert training_floor(SHAPE, generator)() is None
        assert prediction_floor(SHAPE, 10, generator)() is None
