from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold

from askl.discovery.probe import cross_validated_residuals, make_probe


def test_residuals_are_those_of_rows_that_were_held_out(rng):
    X = rng.normal(size=(200, 2))
    targets = np.column_stack([100.0 * X[:, 0] + 7.0, rng.normal(size=200)])
    folds = KFold(4)
    residuals = cross_validated_residuals(X, targets, folds)
    standard = (targets - targets.mean(axis=0)) / targets.std(axis=0)
    expected = np.empty_like(standard)
    for others, rows in folds.split(X):
        expected[rows] = standard[rows] - make_probe().fit(X[others], standard[others]).predict(
            X[rows]
        )
    np.testing.assert_allclose(residuals, expected - expected.mean(axis=0), atol=1e-12)
    assert residuals[:, 0].std() < 0.3 < residuals[:, 1].std()


def test_a_constant_target_has_no_residuals(rng):
    X = rng.normal(size=(60, 2))
    residuals = cross_validated_residuals(X, np.full((60, 1), 3.0), KFold(3))
    np.testing.assert_allclose(residuals, 0.0, atol=1e-6)
