"""One training of an automatic fit: the data it learns from, and what is known afterwards."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from askl._typing import Array
from askl.auto.candidates import CandidateKey
from askl.auto.execution.folds import Fold
from askl.auto.execution.scoring import Error, classification_error, squared_error
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
    def n_samples(self) -> int:
        """Count the rows."""
        return len(self.targets)

    @property
    def n_outputs(self) -> int:
        """Count the outputs of a model."""
        n_targets = 1 if self.targets.ndim == 1 else self.targets.shape[1]
        return self.n_classes or n_targets

    def take(self, rows: Array) -> Problem:
        """Return some of the rows."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return self._replace(X=self.X[rows], targets=self.targets[rows], sample_weight=weights)


def make_problem(
    X: Any,
    targets: Array,
    sample_weight: Array | None,
    *,
    n_classes: int,
    seed: int,
    log_loss_share: float,
) -> Problem:
    """Return the problem with the error that candidates are compared by."""
    error = partial(classification_error, log_loss_share=log_loss_share)
    return Problem(
        X, targets, sample_weight, n_classes, error if n_classes else squared_error, seed
    )


class Trained(NamedTuple):
    """A trained model and its seconds; where training failed, None and the error's message."""

    model: Any
    seconds: float
    failure: str = ""


def make_model(problem: Problem, parameters: Mapping[str, Any], seed: int = 0) -> PlainModel:
    """Make the untrained model of some parameters, and check them."""
    kind = SpectralKernelClassifier if problem.n_classes else SpectralKernelRegressor
    model = kind(random_state=seed, **parameters)
    model.check_parameters()
    return model


def train_model(
    problem: Problem, parameters: Mapping[str, Any], seed: int, *, for_selection: bool = False
) -> Trained:
    """Train one model, as a member or only for selection; return a failure, do not raise it."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model = make_model(problem, parameters, seed)
            fit = model.fit_for_selection if for_selection else model.fit
            fit(problem.X, problem.targets, sample_weight=problem.sample_weight)
    except (ValueError, RuntimeError, MemoryError) as error:
        return Trained(None, time.perf_counter() - start, f"{type(error).__name__}: {error}")
    if any("interrupted" in str(warning.message) for warning in caught):
        # A single model keeps what it has learned; a search must not go on to the next one.
        raise KeyboardInterrupt
    return Trained(model, time.perf_counter() - start)


def predict_model(model: Any, X: Any, n_classes: int) -> Array:
    """Predict numbers, or the probabilities of all classes where a model may know only some."""
    if not n_classes:
        return np.asarray(model.predict(X))
    probabilities = np.zeros((X.shape[0], n_classes))
    probabilities[:, model.classes_] = model.predict_proba(X)
    return probabilities


class Trial(NamedTuple):
    """A candidate on one fold: its held-out predictions and error, and its cost."""

    key: CandidateKey
    predictions: Array | None
    error: float
    seconds: float
    failure: str = ""
    estimated_seconds: float = 0.0


def run_trial(
    problem: Problem, fold: Fold, key: CandidateKey, parameters: Mapping[str, Any]
) -> Trial:
    """Train a candidate on the rows of a fold, and judge it on those held out."""
    training = problem.take(fold.train)
    trained = train_model(training, parameters, problem.seed + fold.number, for_selection=True)
    if trained.model is None:
        return Trial(key, None, np.inf, trained.seconds, trained.failure)
    predictions = predict_model(trained.model, problem.X[fold.held_out], problem.n_classes)
    error = problem.error(predictions, problem.targets[fold.held_out])
    return Trial(key, predictions, error, trained.seconds)
