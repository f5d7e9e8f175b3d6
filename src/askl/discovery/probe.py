"""A first look at a table with a small smooth model: what it leaves over, and columns alike."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold, cross_val_predict

from askl._typing import Array
from askl.estimators.regressor import SpectralKernelRegressor

# Of a column, all values but the most frequent one have at least this share.
LEAST_SHARE = 0.05


def make_probe() -> SpectralKernelRegressor:
    """Make the model: quick to train, able to tell whether a new column says something.

    Examples
    --------
    >>> make_probe().n_components
    300
    """
    return SpectralKernelRegressor(n_components=300, max_epochs=6, random_state=0)


def cross_validated_residuals(X: Array, targets: Array, folds: KFold) -> Array:
    """Compute the cross-validated residuals of the small model, every output in its own unit.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(300, 1))
    >>> float(np.square(cross_validated_residuals(X, 7.0 * X, KFold(5))).mean()) < 0.01
    True
    """
    spread = targets.std(axis=0)
    unit = (targets - targets.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    residuals = unit - cross_val_predict(make_probe(), X, unit, cv=folds).reshape(unit.shape)
    centred: Array = residuals - residuals.mean(axis=0)
    return centred


def ecdf_distance(X: Array) -> Array:
    """Return the largest difference of any two columns' distribution functions.

    Examples
    --------
    >>> ecdf_distance(np.array([[1.0, 2.0], [2.0, 3.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    ordered, n_features = np.sort(X, axis=0), X.shape[1]
    distance = np.zeros((n_features, n_features))
    for j in range(n_features):
        points = np.unique(ordered[:: max(1, len(X) // 200), j])
        levels = np.stack([np.searchsorted(column, points, "right") for column in ordered.T])
        distance[:, j] = np.abs(levels - levels[j]).max(axis=1) / len(X)
    return np.maximum(distance, distance.T)


def is_varied(X: Array) -> Array:
    """Say of each column whether its most frequent value leaves enough to the others.

    Examples
    --------
    >>> is_varied(np.array([[1.0, 2.0], [1.0, 3.0]]))
    array([False,  True])
    """
    ordered = np.sort(X, axis=0)
    # Of very few rows, all but one at most are of one value.
    gap = min(int(np.ceil((1.0 - LEAST_SHARE) * len(X))), len(X) - 1)
    return np.asarray((ordered[gap:] != ordered[: len(X) - gap]).all(axis=0))


def has_two_values(X: Array) -> Array:
    """Say of each column whether it has no third value.

    Examples
    --------
    >>> has_two_values(np.array([[1.0, 2.0], [1.0, 3.0], [0.0, 4.0]]))
    array([ True, False])
    """
    return np.asarray(((X.min(axis=0) == X) | (X.max(axis=0) == X)).all(axis=0))
