"""One fit: what is measured, and what is refused."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

from benchmarks.data import Split
from benchmarks.peers import fit
from benchmarks.peers.models import PEERS, Task

ROOT = Path(__file__).parents[3]


def test_log_loss_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X, y = np.zeros((6, 1)), np.array([0, 1, 2, 0, 1, 2])
    probabilities = rng.dirichlet(np.ones(3), 6)
    expected = sklearn_log_loss(y, probabilities, labels=[0, 1, 2])
    assert fit.log_loss(probabilities, Split(X, y, X, y)) == pytest.approx(expected)


def test_log_loss_of_a_class_not_trained_on_is_the_greatest() -> None:
    X = np.zeros((2, 1))
    split = Split(X, np.array([0, 2]), X, np.array([1, 3]))
    expected = -math.log(fit.LEAST_PROBABILITY)
    assert fit.log_loss(np.full((2, 2), 0.5), split) == pytest.approx(expected)


def test_measure(embedded: Path) -> None:
    split = fit.protocol_split("segment")
    measured = fit.measure(PEERS["lightgbm"].make(Task(regression=False)), split)
    assert measured["measure"] == "accuracy"
    assert measured["score"] > 90.0
    assert 0.0 < measured["log_loss"] < 1.0
    assert measured["fit_seconds"] > 0.0
    assert measured["peak_memory_mb"] > 10.0


def test_predictions_that_are_not_finite_are_a_failure(embedded: Path) -> None:
    class Broken:
        def fit(self, X: Any, y: Any) -> None: ...

        def predict(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(FloatingPointError, match="not finite"):
        fit.measure(Broken(), fit.protocol_split("abalone"))


def test_memory_above_the_limit_is_refused() -> None:
    code = "import numpy; from benchmarks.peers import fit; fit.limit_memory(1); numpy.ones(2**28)"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "Unable to allocate 2.00 GiB" in ended.stderr
