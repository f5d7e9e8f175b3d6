"""Learners: each takes strings and gaps, and predicts for every row and class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.tables.data import load_fold
from benchmarks.tables.learners import LEARNERS


@pytest.mark.parametrize("table", ["anneal", "airfoil"])
@pytest.mark.parametrize("learner", ["askl", "lightgbm", "random-forest"])
def test_an_installed_learner_fits_and_predicts(tables: Path, learner: str, table: str) -> None:
    fold = load_fold(table, 0)
    predictions = LEARNERS[learner](fold, 0, 1.0)()
    assert np.isfinite(list(fold.errors(predictions).values())).all()
    if table == "anneal":
        np.testing.assert_allclose(predictions.sum(axis=1), 1.0, rtol=1e-5)
