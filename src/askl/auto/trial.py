"""One training of an automatic fit: what it learns from, and what is known of it afterwards."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from askl._typing import Array
from askl.auto.selection import Error
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.regressor import SpectralKernelRegressor

PlainModel: TypeAlias = SpectralKernelClassifier | SpectralKernelRegressor


class Problem(NamedTuple):
    """Encoded data: classes are 0 to K − 1, or ``n_classes`` is zero and targets are numbers."""

    X: Any
    targets: Array
    sample_weight: Array | None
    n_classes: int
    error: Error
    seed: int

    @property
    def n_outputs(self) -> int:
        """Count the outputs of a model."""
        n_targets = 1 if self.targets.ndim == 1 else self.targets.shape[1]
        return self.n_classes or n_targets

    def take(self, rows: Array) -> Problem:
        """Return some of the rows."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return self._replace(X=self.X[rows], targets=self.targets[rows], sample_weight=weights)


class Trained(NamedTuple):
    """A trained model, and what is said of it; None and an error where training failed."""

    model: Any
    seconds: float
    failure: str = ""


def make_model(problem: Problem, settings: Mapping[str, Any], seed: int = 0) -> PlainModel:
    """Make the untrained model of some settings, and check them."""
    kind = SpectralKernelClassifier if problem.n_classes else SpectralKernelRegressor
    model = kind(random_state=seed, **settings)
    model.check_parameters()
    return model


def train_one(
    problem: Problem, settings: Mapping[str, Any], seed: int, *, for_selection: bool = False
) -> Trained:
    """Train one model, to keep or on trial; what goes wrong is told, not raised."""
    started = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = make_model(problem, settings, seed)
            fit = model.fit_for_selection if for_selection else model.fit
            fit(problem.X, problem.targets, sample_weight=problem.sample_weight)
    except (ValueError, RuntimeError, MemoryError) as error:
        return Trained(None, time.perf_counter() - started, f"{type(error).__name__}: {error}")
    if any("interrupted" in str(warning.message) for warning in caught):
        # A single model keeps what it has; a search must not go on to the next one.
        raise KeyboardInterrupt
    return Trained(model, time.perf_counter() - started)


def predict_one(model: Any, X: Any, n_classes: int) -> Array:
    """Predict numbers, or the probabilities of all classes where a model may know only some."""
    if not n_classes:
        return np.asarray(model.predict(X))
    probabilities = np.zeros((X.shape[0], n_classes))
    probabilities[:, model.classes_] = model.predict_proba(X)
    return probabilities


class Trial(NamedTuple):
    """Settings on one fold: their held-out predictions, error, and cost, also as estimated."""

    name: str
    fold: int
    predictions: Array | None
    error: float
    seconds: float
    failure: str
    estimated: float = 0.0


def try_settings(
    problem: Problem,
    train: Array,
    held_out: Array,
    name: str,
    fold: int,
    settings: dict[str, Any],
) -> Trial:
    """Train some settings on a fold's rows, and judge them on those held out."""
    trained = train_one(problem.take(train), settings, problem.seed + fold, for_selection=True)
    if trained.model is None:
        return Trial(name, fold, None, np.inf, trained.seconds, trained.failure)
    predictions = predict_one(trained.model, problem.X[held_out], problem.n_classes)
    error = problem.error(predictions, problem.targets[held_out])
    return Trial(name, fold, predictions, error, trained.seconds, "")
