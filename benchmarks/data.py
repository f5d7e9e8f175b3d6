"""The paper's data sets and its random splits, from ``<name>.npz`` files with ``X`` and ``y``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Split(NamedTuple):
    """Rows to train on and rows to test on."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array

    @property
    def regression(self) -> bool:
        return self.y_train.dtype.kind == "f"

    def score(self, predictions: Array) -> float:
        """Accuracy in percent, or the root mean squared error of a regression."""
        if self.regression:
            return float(np.sqrt(np.mean((predictions - self.y_test) ** 2)))
        return 100.0 * float(np.mean(predictions == self.y_test))


def data_folder() -> Path:
    folder = os.environ.get("ASKL_DATA")
    if not folder:
        raise FileNotFoundError(
            "The environment variable ASKL_DATA must name the folder of the data sets. "
            "It is not set. Point it at a folder with files such as letter.npz."
        )
    return Path(folder)


def load(name: str) -> tuple[Array, Array]:
    """Read a data set: labels recoded to 0..K-1, regression targets and bytes brought to scale.

    Targets are mapped to [0, 100] with the minimum and maximum of all rows, test rows included,
    so that errors are in the units of the published tables. Bytes of images become [0, 1].
    """
    path = data_folder() / f"{name}.npz"
    if not path.exists():
        raise FileNotFoundError(
            f"There is no {path.name} in the folder {path.parent} that ASKL_DATA names. "
            "Put the data set there, or set ASKL_DATA to the folder that holds it."
        )
    with np.load(path) as arrays:
        X, y = arrays["X"], arrays["y"]
    X = X.astype(np.float32) / np.float32(255.0 if X.dtype == np.uint8 else 1.0)
    if y.dtype.kind == "f":
        return X, 100.0 * (y - y.min()) / (y.max() - y.min())
    return X, np.unique(y, return_inverse=True)[1]


def protocol_split(name: str, split: int = 0) -> Split:
    """Permute the rows by ``default_rng(split)``; the first 80 % train, the others test."""
    X, y = load(name)
    order = np.random.default_rng(split).permutation(len(y))
    train, test = np.split(order, [int(0.8 * len(y))])
    return Split(X[train], y[train], X[test], y[test])
