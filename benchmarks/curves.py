"""Test score over processor seconds of training; the time that scoring takes is not counted.

Seconds of the processor do not count what other programs do at the same time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.preprocessing import StandardScaler

from benchmarks.data import Array, Split
from benchmarks.defaults import default_estimator
from benchmarks.reference import Reference, Settings, single_sample_batches

# Epochs and batch size of the script released with the paper.
REFERENCE_EPOCHS = 10
REFERENCE_BATCH = 32


class Point(NamedTuple):
    """A test score, and the seconds of training that led to it."""

    seconds: float
    score: float


class Curve:
    """Scores at times that grow by a twentieth; the time that scoring takes is not counted.

    Parameters
    ----------
    score : callable
        ``score() -> float`` of the model as it is now.
    clock : callable
        ``clock() -> float``, in seconds.
    """

    def __init__(
        self, score: Callable[[], float], clock: Callable[[], float] = time.process_time
    ) -> None:
        self.points: list[Point] = []
        self._score, self._clock = score, clock
        self._started = clock()
        self._scoring = 0.0

    @property
    def seconds(self) -> float:
        return self._clock() - self._started - self._scoring

    def look(self) -> None:
        """Add a point if enough time has passed since the last one."""
        if not self.points or self.seconds >= 1.05 * self.points[-1].seconds:
            self.add()

    def add(self) -> None:
        seconds = self.seconds
        self.points.append(Point(seconds, self._score()))
        self._scoring += self.seconds - seconds


def our_curve(
    split: Split, threads: int, *, seed: int = 0, look_every: int = 10, **parameters: Any
) -> list[Point]:
    """Fit the default estimator; the last point is the fitted one."""
    common = {"record_every": look_every, "n_threads": threads, "random_state": seed}
    model = default_estimator(split, **common, **parameters)
    curve = Curve(lambda: split.score(model.predict(split.X_test)))
    model.set_params(callback=lambda progress, estimator: curve.look())
    model.fit(split.X_train, split.y_train)
    curve.add()
    return curve.points


def reference_curve(
    split: Split, settings: Settings, *, most_seconds: float, seed: int = 0, look_every: int = 10
) -> list[Point]:
    """Train as the released script does, for ten epochs at most."""
    targets = torch.from_numpy(split.y_train)
    n_outputs = 1 if split.regression else int(targets.max()) + 1
    targets = targets.float()[:, None] if split.regression else targets
    generator = torch.Generator().manual_seed(seed)
    scaler = StandardScaler(with_mean=settings.standardize, with_std=settings.standardize)
    test = torch.from_numpy(scaler.fit(split.X_train).transform(split.X_test))
    # As for ours, drawing the model and scaling the inputs are part of training.
    curve = Curve(lambda: split.score(_decode(model.outputs(test).numpy())))
    model = Reference(split.X_train.shape[1], n_outputs, settings, generator)
    inputs = torch.from_numpy(scaler.fit_transform(split.X_train))
    batches = single_sample_batches(inputs, targets, REFERENCE_BATCH, generator)
    for number, batch in enumerate(chain.from_iterable(repeat(batches, REFERENCE_EPOCHS)), start=1):
        model.step(*batch)
        if number % look_every == 0:
            curve.look()
        if curve.seconds > most_seconds:
            break
    curve.add()
    return curve.points


def _decode(outputs: Array) -> Array:
    return outputs[:, 0] if outputs.shape[1] == 1 else np.argmax(outputs, axis=1)


def seconds_to(points: list[Point], threshold: float, *, lower_is_better: bool) -> float | None:
    """Return when a curve first reaches a score, or None where it never does."""
    for point in points:
        if point.score <= threshold if lower_is_better else point.score >= threshold:
            return point.seconds
    return None


def score_at(points: list[Point], seconds: float) -> float | None:
    """Return the last score up to some time, or None before the first."""
    scores = [point.score for point in points if point.seconds <= seconds]
    return scores[-1] if scores else None
