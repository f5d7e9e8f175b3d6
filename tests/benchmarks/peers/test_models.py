"""Every learner whose library is installed can be made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from benchmarks.peers.models import PEERS, Task

INSTALLED = ("lightgbm", "svm", "svm-tuned", "rff", "nystroem", "hist", "mlp", "askl")


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("name", INSTALLED)
def test_every_installed_peer_can_be_made(name: str, regression: bool) -> None:
    model = PEERS[name].make(Task(regression))
    assert hasattr(model, "fit")
    assert hasattr(model, "predict")


def test_default_support_vectors_predict_in_the_units_of_the_targets() -> None:
    X, y = load_diabetes(return_X_y=True)
    predictions = PEERS["svm"].make(Task(regression=True)).fit(X, y).predict(X)
    assert np.sqrt(np.mean((predictions - y) ** 2)) < 0.8 * y.std()
