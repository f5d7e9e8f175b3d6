"""The probe: a small smooth model that shows what it cannot explain."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold, cross_val_predict

from askl._typing import Array
from askl.estimators.regressor import SpectralKernelRegressor


def make_probe() -> SpectralKernelRegressor:
    """Make the model: quick to train, and accurate enough to tell whether a new column helps.

    Examples
    --------
    >>> make_probe().n_components
    300
    """
    return SpectralKernelRegressor(n_components=300, max_epochs=6, random_state=0)


def cross_validated_residuals(X: Array, targets: Array, folds: KFold) -> Array:
    """Return cross-validated residuals of the probe, with mean zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    targets : ndarray of shape (n_samples, n_outputs)
        They are standardised first.
    folds : KFold

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)
        In units of the deviations of the targets.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(300, 1))
    >>> float(np.square(cross_validated_residuals(X, 7.0 * X, KFold(5))).mean()) < 0.01
    True
    """
    deviation = targets.std(axis=0)
    standard = (targets - targets.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    predictions = cross_val_predict(make_probe(), X, standard, cv=folds)
    residuals = standard - predictions.reshape(standard.shape)
    centred: Array = residuals - residuals.mean(axis=0)
    return centred
