"""Train one estimator on one split, and measure it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askl import SpectralKernelClassifier, SpectralKernelRegressor
from reproduction.datasets import Dataset, Row
from reproduction.splits import Split

Array = NDArray[Any]
# Parameters that a protocol does not name: where and how a fit runs, but not what it computes.
INCIDENTAL = frozenset(
    {
        *("random_state", "n_threads", "device", "distributed", "warm_start"),
        *("callback", "record_every", "verbose", "checkpoint", "checkpoint_every"),
    }
)
# In no protocol a classifier solves its head, as in the paper.
TRAINED_HEAD = {"refit_head": False, "head_strength": None}


class Measurement(NamedTuple):
    """The result of a training run; all but ``seconds`` is determined by its inputs.

    Seconds are those of the processor: they do not count what other programs do.
    """

    metrics: dict[str, dict[str, float]]
    history: dict[str, list[float]]
    warnings: list[str]
    seconds: float


def make_estimator(row: Row, method: str, parameters: Mapping[str, Any], seed: int) -> Any:
    """Build the classifier or regressor of a task, on one thread and with a fixed seed."""
    classify = row.task == "classification"
    if classify:
        parameters = {**TRAINED_HEAD, **parameters}
    estimator = SpectralKernelClassifier if classify else SpectralKernelRegressor
    return estimator(method, **parameters, n_threads=1, random_state=seed)


def measure(
    estimator: Any, dataset: Dataset, split: Split, *, record_every: int | None = None
) -> Measurement:
    """Fit on the split's training rows and measure on both parts.

    With ``record_every``, the metric on test rows and the objective are also recorded at multiples
    of this number of iterations; that time is not counted.
    """
    X, y = dataset.X, dataset.y
    scale = TargetScale.of(dataset.row, y[split.train])
    targets = scale.apply(y)
    curve = Curve(X[split.test], targets[split.test], scale)
    if record_every:
        estimator.set_params(record_every=record_every, callback=curve)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = time.process_time()
        estimator.fit(X[split.train], targets[split.train])
        seconds = time.process_time() - started - curve.seconds
    messages = sorted({str(warning.message) for warning in caught})
    if any("interrupted" in message for message in messages):
        # The estimator keeps its state, but half a training run is no result.
        raise KeyboardInterrupt
    metrics = {
        part: scale.metrics(targets[index], estimator.predict(X[index]))
        for part, index in split._asdict().items()
    }
    return Measurement(metrics, curve.history, messages, seconds)


class TargetScale(NamedTuple):
    """How targets are mapped before training, and how errors are measured after it.

    Numbers are mapped to [0, 100] by the smallest and largest of the *training* rows.
    """

    row: Row
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, row: Row, train_targets: Array) -> TargetScale:
        """Find the range of the targets of the training rows."""
        if row.task == "classification":
            return cls(row)
        return cls(row, float(train_targets.min()), float(train_targets.max()))

    def apply(self, targets: Array) -> Array:
        """Map numbers to [0, 100]; classes stay as they are."""
        if self.row.task == "classification":
            return targets
        mapped: Array = 100.0 * (targets - self.low) / (self.high - self.low)
        return mapped

    def metrics(self, targets: Array, predictions: Array) -> dict[str, float]:
        """Measure predictions of mapped targets in all units of the data set."""
        if self.row.task == "classification":
            return {"accuracy_percent": 100.0 * float(np.mean(predictions == targets))}
        error = float(np.sqrt(np.mean((predictions - targets) ** 2)))
        metrics = {"rmse_0_to_100": error}
        if self.row.extra_unit:
            size = self.row.extra_unit["size"]
            metrics[self.row.extra_unit["name"]] = error / 100.0 * (self.high - self.low) / size
        return metrics


class Curve:
    """A callback that keeps the metric on test rows and the objective over training."""

    def __init__(self, X: Array, targets: Array, scale: TargetScale) -> None:
        self.X, self.targets, self.scale = X, targets, scale
        self.seconds = 0.0
        self.history: dict[str, list[float]] = {"iteration": [], "test": [], "objective": []}

    def __call__(self, progress: Any, estimator: Any) -> None:
        """Record one point."""
        started = time.process_time()
        metrics = self.scale.metrics(self.targets, estimator.predict(self.X))
        self.history["iteration"].append(progress.iteration)
        self.history["test"].append(round(metrics[self.scale.row.units[0]], 4))
        self.history["objective"].append(float(f"{progress.objective:.6g}"))
        self.seconds += time.process_time() - started
