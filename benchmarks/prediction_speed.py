"""Rows predicted in a second: the floor, the library's function, and an estimator's method."""

from __future__ import annotations

from typing import Any

import torch

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from askl.learning import compute_outputs
from benchmarks.floor import prediction_floor
from benchmarks.problems import Shape, draw_model, draw_rows
from benchmarks.timing import Run, interleaved_seconds, medians, times_within

# On one thread: how many floors a prediction may take.
MOST_FLOORS = 1.3
ROWS = 1024


def fitted_estimator(shape: Shape, threads: int, generator: torch.Generator) -> Any:
    """Fit an estimator of the shape to a few rows; what it predicts does not matter."""
    kind = SpectralKernelRegressor if shape.n_outputs == 1 else SpectralKernelClassifier
    inputs, targets = draw_rows(shape, 20 * shape.n_outputs, generator)
    if shape.n_outputs > 1:
        targets = torch.arange(len(inputs)) % shape.n_outputs  # every class is there
    estimator = kind(
        n_components=shape.n_components, max_epochs=1, n_threads=threads, random_state=0
    )
    return estimator.fit(inputs.numpy(), targets.numpy())


def measure_prediction(
    shape: Shape, threads: int, *, seconds: float, repeats: int
) -> dict[str, Any]:
    """Time the prediction of as many rows as the floor takes in the given seconds."""
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(0)
    one_block = torch.no_grad()(prediction_floor(shape, ROWS, generator))
    n_rows = ROWS * times_within(one_block, seconds, least=4, most=64)
    inputs, _ = draw_rows(shape, n_rows, generator)
    model, estimator = draw_model(shape, generator), fitted_estimator(shape, threads, generator)
    runs: dict[str, Run] = {
        "floor": torch.no_grad()(prediction_floor(shape, n_rows, generator)),
        "compute_outputs": lambda: compute_outputs(inputs, model),
        "predict": lambda: estimator.predict(inputs.numpy()),
    }
    samples = interleaved_seconds(runs, repeats)
    typical = medians(samples)
    floors = {name: typical[name] / typical["floor"] for name in ("compute_outputs", "predict")}
    most = MOST_FLOORS if threads == 1 else None
    return {
        "shape": {key: size for key, size in shape._asdict().items() if key != "batch_size"},
        "threads": threads,
        "n_rows": n_rows,
        "rows_per_second": {name: n_rows / total for name, total in typical.items()},
        "over_floor": floors,
        "most_floors": most,
        "passed": {name: None if most is None else r <= most for name, r in floors.items()},
        "samples": samples,
    }
