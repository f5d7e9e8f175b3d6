"""The bound over training: a recorder that is the callback of an estimator."""

from __future__ import annotations

from typing import Any, NamedTuple

from askl.estimators.base import SpectralModel
from askl.learning import Progress, trace_norm
from askl.theory.complexity import rademacher_bound
from askl.theory.fitted import feature_blocks, model_of, summed_loss


class TrajectoryPoint(NamedTuple):
    """The bound and the gap that it bounds, at one moment of training.

    Attributes
    ----------
    epoch, iteration : int
    trace_norm : float
        ‖W‖_*.
    mean_square : float
        Mean of ‖φ(x_i)‖² over the training rows.
    complexity : float
        (B/n) sqrt(K Σ_i ‖φ(x_i)‖²) with B = ‖W‖_* at this moment.
    train_loss, test_loss : float
        Mean loss without penalties.

    Examples
    --------
    >>> TrajectoryPoint(1, 10, 2.0, 0.9, 0.5, train_loss=0.25, test_loss=0.5).gap
    0.25
    """

    epoch: int
    iteration: int
    trace_norm: float
    mean_square: float
    complexity: float
    train_loss: float
    test_loss: float

    @property
    def gap(self) -> float:
        """The observed generalisation gap: test minus training loss."""
        return self.test_loss - self.train_loss


class BoundRecorder:
    """Record the complexity bound and the generalisation gap while an estimator trains.

    Use it as the ``callback`` of an estimator: it adds to ``points`` while the estimator trains. A
    clone of the estimator, as in a grid search, has a copy of the recorder.

    Parameters
    ----------
    X, y : array-like
        The training rows.
    X_test, y_test : array-like
        Other rows.
    every : int, default=1
        A point is added at every ``every``-th record of the estimator's history.

    Attributes
    ----------
    points : list of TrajectoryPoint

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import BoundRecorder
    >>> X, y = load_iris(return_X_y=True)
    >>> recorder = BoundRecorder(X[::2], y[::2], X[1::2], y[1::2])
    >>> model = SpectralKernelClassifier(
    ...     n_components=20, max_epochs=3, callback=recorder, random_state=0)
    >>> [point.epoch for point in (model.fit(X[::2], y[::2]) and recorder.points)]
    [1, 2, 3]
    """

    def __init__(self, X: Any, y: Any, X_test: Any, y_test: Any, *, every: int = 1) -> None:
        if every < 1:
            raise ValueError(
                f"The 'every' parameter of BoundRecorder must be at least 1. Got {every!r} instead."
            )
        self.X, self.y, self.X_test, self.y_test, self.every = X, y, X_test, y_test, every
        self.points: list[TrajectoryPoint] = []
        self._n_calls = 0

    def __call__(self, progress: Progress, estimator: SpectralModel) -> None:
        """Add a point, if it is time for one."""
        self._n_calls += 1
        if self._n_calls % self.every == 0:
            self.points.append(self._point(progress, estimator))

    def _point(self, progress: Progress, estimator: SpectralModel) -> TrajectoryPoint:
        weights = model_of(estimator).weights
        head_norm = float(trace_norm(weights))
        train_loss, mean_square, n_samples = _measure(estimator, self.X, self.y)
        test_loss, _, _ = _measure(estimator, self.X_test, self.y_test)
        complexity = rademacher_bound(
            head_norm, n_samples * mean_square, n_samples=n_samples, n_outputs=weights.shape[1]
        )
        return TrajectoryPoint(
            progress.epoch,
            progress.iteration,
            head_norm,
            mean_square,
            complexity,
            train_loss,
            test_loss,
        )


def _measure(estimator: SpectralModel, X: Any, y: Any) -> tuple[float, float, int]:
    """Return the mean loss, the mean squared feature norm and the number of some rows."""
    weights, targets = model_of(estimator).weights, estimator.encode_targets(y)
    loss = square = 0.0
    for rows, _, features in feature_blocks(estimator, X):
        loss += summed_loss(estimator, features @ weights, targets[rows])
        square += float(features.square().sum())
    return loss / len(targets), square / len(targets), len(targets)
