"""xRFM with ``fit(X, y)``: it needs standardised inputs and a validation set."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from xrfm import xRFM

from benchmarks.data import Array

VALIDATION_FRACTION = 0.2


class HeldOutXRFM:
    """xRFM at its defaults; some training rows are held out as its validation set."""

    def __init__(self, *, threads: int, seed: int) -> None:
        self.seed = seed
        self.scaler = StandardScaler()
        self.model = xRFM(device="cpu", n_threads=threads, random_state=seed, verbose=False)

    def fit(self, X: Array, y: Array) -> HeldOutXRFM:
        # Labels are integers and targets float64: xRFM reads the task from that.
        X, X_held, y, y_held = train_test_split(
            X, y, test_size=VALIDATION_FRACTION, random_state=self.seed
        )
        X = self.scaler.fit_transform(X)
        self.model.fit(X, y, self.scaler.transform(X_held), y_held)
        return self

    def predict(self, X: Array) -> Array:
        return np.ravel(self.model.predict(self.scaler.transform(X)))

    def predict_proba(self, X: Array) -> Any:
        return self.model.predict_proba(self.scaler.transform(X))
