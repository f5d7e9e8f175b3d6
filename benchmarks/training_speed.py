"""Milliseconds of a training step: the floor, the script released with the paper, and ours."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from askl.learning import (
    HEAD_NORMS,
    LOSSES,
    METHODS,
    Objective,
    TensorRows,
    TrainingOptions,
    train,
)
from askl.spectral import natural_scale
from benchmarks.floor import training_floor
from benchmarks.problems import Shape, draw_model, draw_rows
from benchmarks.reference import Reference, Settings, single_sample_batches
from benchmarks.timing import Run, interleaved_seconds, medians, times_within


class Limits(NamedTuple):
    """On one thread: how many floors our step may take, how much it must save."""

    most_floors: float | None = None
    least_saving: float | None = None


LIMITS = {
    Shape(784, 2000, 10, 32): Limits(1.3, 2.0),
    Shape(784, 2000, 10, 256): Limits(1.3),
    Shape(256, 2000, 10, 128): Limits(1.3),
    Shape(16, 2000, 26, 32): Limits(1.8, 2.0),
    Shape(16, 2000, 26, 256): Limits(1.6),
    Shape(8, 500, 1, 256): Limits(),
}


def floor_steps(shape: Shape, generator: torch.Generator, *, seconds: float) -> tuple[Run, int]:
    """Return a run of the floor that lasts some seconds, and its number of steps."""
    step = torch.no_grad()(training_floor(shape, generator))
    # In an epoch of fewer steps, preparing it would take most of the time.
    steps = times_within(step, seconds, least=64, most=500)

    def run() -> None:
        for _ in range(steps):
            step()

    return run, steps


def reference_epoch(shape: Shape, n_rows: int, generator: torch.Generator) -> Run:
    scale = natural_scale("gaussian", shape.n_features)
    settings = Settings(n_components=shape.n_components, frequency_scale=scale)
    model = Reference(shape.n_features, shape.n_outputs, settings, generator)
    inputs, targets = draw_rows(shape, n_rows, generator)
    batches = single_sample_batches(inputs, targets, shape.batch_size, generator)

    def run() -> None:
        for batch in batches:
            model.step(*batch)

    return run


def our_epoch(shape: Shape, n_rows: int, generator: torch.Generator) -> Run:
    """Return an epoch of the library's loop on a model whose head starts at zero."""
    method = METHODS["askl"]
    loss = LOSSES["squared" if shape.n_outputs == 1 else "log"].evaluate
    norm = HEAD_NORMS[method.head_norm]
    objective = Objective(loss, norm, method.head_penalty, method.feature_penalty)
    rows = TensorRows(*draw_rows(shape, n_rows, generator))
    options = TrainingOptions((0.005,), 0.05, batch_size=shape.batch_size, max_epochs=1)
    drawn = draw_model(shape, generator)
    drawn.weights.zero_()
    model = drawn.copy()

    def run() -> None:
        model.copy_from(drawn)
        train(model, objective, rows, options, generator=generator)

    return run


def measure_training(shape: Shape, threads: int, *, seconds: float, repeats: int) -> dict[str, Any]:
    """Time epochs of all three, of as many steps as the floor takes in the given seconds."""
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(0)
    floor, steps = floor_steps(shape, generator, seconds=seconds)
    n_rows = steps * shape.batch_size
    runs = {
        "floor": floor,
        "reference": reference_epoch(shape, n_rows, generator),
        "ours": our_epoch(shape, n_rows, generator),
    }
    samples = {
        f"{name}_ms": [1e3 * total / steps for total in totals]
        for name, totals in interleaved_seconds(runs, repeats).items()
    }
    record = {"shape": shape._asdict(), "threads": threads, "steps": steps, **medians(samples)}
    return {**record, **judge(record, shape, threads), "samples": samples}


def judge(record: dict[str, Any], shape: Shape, threads: int) -> dict[str, Any]:
    """Compare the ratios of a record with the limits of its shape, if there are any."""
    floors = record["ours_ms"] / record["floor_ms"]
    saving = record["reference_ms"] / record["ours_ms"]
    most, least = LIMITS.get(shape, Limits()) if threads == 1 else Limits()
    return {
        "ours_over_floor": floors,
        "most_floors": most,
        "floors_passed": None if most is None else floors <= most,
        "reference_over_ours": saving,
        "least_saving": least,
        "saving_passed": None if least is None else saving >= least,
    }
