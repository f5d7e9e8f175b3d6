"""Folds: every row is tested once, and errors are those of scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks.tables.data import N_FOLDS, load_fold, split_again


@pytest.mark.parametrize("name", ["churn", "anneal", "airfoil"])
def test_every_row_is_tested_once_and_held_out_rows_are_training_rows(
    tables: Path, name: str
) -> None:
    folds = [load_fold(name, number) for number in range(N_FOLDS)]
    tested = [row for fold in folds for row in fold.X_test.index]
    assert sorted(tested) == list(range(90))
    for fold in folds:
        assert not set(fold.X_train.index) & set(fold.X_test.index)
        inner = split_again(fold)
        assert {*inner.X_train.index, *inner.X_test.index} == set(fold.X_train.index)
        assert not set(inner.X_train.index) & set(inner.X_test.index)


def test_errors_are_those_of_scikit_learn(tables: Path) -> None:
    rng = np.random.default_rng(0)
    binary, several, numbers = (load_fold(name, 0) for name in ("churn", "anneal", "airfoil"))
    shares = rng.dirichlet([1.0, 1.0], len(binary.y_test))
    found = binary.errors(shares)
    assert found["1 - ROC AUC"] == pytest.approx(1 - roc_auc_score(binary.y_test, shares[:, 1]))
    assert found["log loss"] == pytest.approx(log_loss(binary.y_test, shares))
    shares = rng.dirichlet([1.0, 1.0, 1.0], len(several.y_test))
    assert several.errors(shares) == {"log loss": pytest.approx(log_loss(several.y_test, shares))}
    assert numbers.errors(numbers.y_test + 2.0) == {"RMSE": pytest.approx(2.0)}
