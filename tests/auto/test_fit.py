"""The stages of an automatic fit, as one function of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from askl.auto.fit import FitOptions, fit_ensemble
from tests.auto.cases import QUICK, SETTINGS

OPTIONS = FitOptions(
    title="Test",
    time_budget=None,
    max_members=3,
    portfolio=QUICK,
    memory=None,
    n_jobs=None,
    fixed={"n_threads": 1},
    seed=0,
    verbose=0,
    settings=SETTINGS,
)


def test_the_ensemble_is_made_of_what_the_leaderboard_weighs():
    X, y = load_diabetes(return_X_y=True)
    fitted = fit_ensemble(X, y, None, OPTIONS, n_classes=0)
    models, weights = fitted.members
    board = fitted.leaderboard
    assert all(model.n_threads == 1 for model in models)
    rows = zip(board["parameters"], board["weight"], strict=True)
    weighed = [own for own, weight in rows if weight]
    for model in models:
        parameters = model.get_params()
        assert any(all(parameters[name] == own[name] for name in own) for own in weighed)
    assert weights.sum() == pytest.approx(1.0)
    predictions, targets = fitted.held_out
    assert predictions.shape == targets.shape == y.shape  # all folds were judged
    assert np.mean((predictions - targets) ** 2) < np.var(y)


def test_the_bar_is_shown_on_request(capsys):
    X, y = load_diabetes(return_X_y=True)
    for verbose, is_shown in ((0, False), (1, True)):
        options = OPTIONS._replace(verbose=verbose, portfolio={"one": QUICK["one layer"]})
        fit_ensemble(X[:60], y[:60], None, options, n_classes=0)
        shown = capsys.readouterr()
        assert ("one: trained on all rows" in shown.out + shown.err) == is_shown
