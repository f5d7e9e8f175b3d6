"""The development tables and their folds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.data import Array, data_folder

N_FOLDS = 3
TARGET = "target"
# Task of each table; most of them are noisy, with mixed columns.
TABLES = {
    "bank_customer_churn": "binary",
    "churn": "binary",
    "credit-g": "binary",
    "online_shoppers_intention": "binary",
    "in_vehicle_coupon": "binary",
    "anneal": "multiclass",
    "students_dropout": "multiclass",
    "airfoil": "regression",
    "healthcare_insurance": "regression",
    "miami_housing": "regression",
    "wine_quality": "regression",
    "diamonds": "regression",
}
MEASURES = {"binary": "1 - ROC AUC", "multiclass": "log loss", "regression": "RMSE"}


class Fold(NamedTuple):
    """Rows to train on and rows to test on; ``y`` are class numbers, or the numbers to predict."""

    task: str
    X_train: pd.DataFrame
    y_train: Array
    X_test: pd.DataFrame
    y_test: Array

    def errors(self, predictions: Array) -> dict[str, float]:
        """Compute all measures of predictions: probabilities of all classes, or numbers."""
        if self.task == "regression":
            return {"RMSE": float(root_mean_squared_error(self.y_test, predictions))}
        labels = np.arange(predictions.shape[1])
        errors = {"log loss": float(log_loss(self.y_test, predictions, labels=labels))}
        if self.task == "binary":
            errors["1 - ROC AUC"] = 1.0 - float(roc_auc_score(self.y_test, predictions[:, 1]))
        return errors


def load_fold(table: str, fold: int) -> Fold:
    """Read one of three folds of a table."""
    frame = pd.read_parquet(data_folder() / "tables" / f"{table}.parquet")
    task = TABLES[table]
    X, target = frame.drop(columns=TARGET), frame[TARGET]
    if task == "regression":
        y = target.to_numpy(dtype=np.float64)
        splitter = KFold(N_FOLDS, shuffle=True, random_state=0)
    else:
        y = np.unique(target.astype(str).to_numpy(), return_inverse=True)[1]
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    train, test = list(splitter.split(X, y))[fold]
    return Fold(task, X.iloc[train], y[train], X.iloc[test], y[test])


def split_again(fold: Fold, seed: int = 0) -> Fold:
    """Hold out a quarter of the training rows in place of the test rows, to develop on."""
    order = np.random.default_rng(seed).permutation(len(fold.y_train))
    held_out, train = np.split(order, [len(order) // 4])
    X, y = fold.X_train, fold.y_train
    return Fold(fold.task, X.iloc[train], y[train], X.iloc[held_out], y[held_out])
