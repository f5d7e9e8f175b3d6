"""The rows that the fits learn from and predict: a few of scikit-learn's, and generated ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine


class Data(NamedTuple):
    """Rows to learn from, their targets, and rows to predict."""

    X: Any
    y: Any
    new: Any


def split(X: Any, y: Any, n_samples: int, n_new: int = 40) -> Data:
    """Draw rows to learn from, and others to predict."""
    order = np.random.default_rng(1).permutation(len(y))
    rows, new = order[:n_samples], order[n_samples : n_samples + n_new]
    if isinstance(X, pd.DataFrame):
        return Data(X.iloc[rows], y[rows], X.iloc[new])
    return Data(X[rows], y[rows], X[new])


def iris() -> Data:
    X, y = load_iris(return_X_y=True)
    return split(X, np.array(["setosa", "versicolor", "virginica"])[y], 110)


def wine() -> Data:
    return split(*load_wine(return_X_y=True), 138)


def breast_cancer() -> Data:
    return split(*load_breast_cancer(return_X_y=True), 250)


def digits() -> Data:
    return split(*load_digits(return_X_y=True), 300)


def diabetes() -> Data:
    return split(*load_diabetes(return_X_y=True), 300)


def prices() -> Data:
    """Make targets that span several powers of ten."""
    X, y, new = diabetes()
    return Data(X, np.exp(y / 40.0), new)


def two_targets() -> Data:
    X, y, new = diabetes()
    return Data(X, np.column_stack([y, 100.0 * X[:, 2] - y]), new)


def exchangeable() -> Data:
    """Make rows whose first two columns are exchangeable."""
    random = np.random.default_rng(2)
    X = random.normal(size=(560, 4))
    noise = 0.3 * random.normal(size=560)
    return split(X, np.abs(X[:, 0] - X[:, 1]) + X[:, 2] + noise, 520)


def exchangeable_classes() -> Data:
    X, y, new = exchangeable()
    return Data(X[:200], np.where(y[:200] > 1.0, "far", "near"), new)


def places() -> Data:
    """Make rows of which the first two columns are a place, and what counts is the quarter."""
    random = np.random.default_rng(3)
    X = random.uniform(0.0, 8.0, size=(640, 3))
    quarter = random.normal(size=(8, 8))[X[:, 0].astype(int), X[:, 1].astype(int)]
    return split(X, 3.0 * quarter + X[:, 2] + 0.3 * random.normal(size=640), 600)


def sensors() -> Data:
    """Make rows of six like readings, which differ more in some rows than in others."""
    random = np.random.default_rng(4)
    y = random.integers(2, size=640)
    X = random.normal(size=(640, 1)) + random.normal(size=(640, 6)) * (1.0 + y[:, None])
    return split(X, y, 600)


def table() -> Data:
    """Make a data frame of numbers with gaps, strings, categories of many values, and dates."""
    random = np.random.default_rng(5)
    n_rows = 200
    size = random.normal(size=n_rows)
    color = random.choice(["red", "green", "blue"], n_rows).astype(object)
    town = random.integers(30, size=n_rows)
    days = random.integers(700, size=n_rows)
    y = size + (color == "red") + 0.1 * town + np.sin(days / 58.0)
    gaps = random.uniform(size=(2, n_rows)) < 0.1
    frame = pd.DataFrame(
        {
            "size": np.where(gaps[0], np.nan, size),
            "color": np.where(gaps[1], None, color),
            "town": pd.Categorical([f"town {number}" for number in town]),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D"),
            "written": [str(np.datetime64("2020-01-01") + int(day)) for day in days[::-1]],
        }
    )
    return split(frame, y, 160)


def table_classes() -> Data:
    X, y, new = table()
    return Data(X, np.where(y > np.median(y), "above", "below"), new)
