"""The automatic classifier: labels, calibrated probabilities, what the search chooses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification

from askl import AutoSpectralKernelClassifier
from askl.auto.portfolio import choose_portfolio
from tests.auto.cases import SETTINGS, quick


def test_the_whole_portfolio_runs_and_the_leaderboard_shows_it():
    X, y = load_iris(return_X_y=True)
    model = AutoSpectralKernelClassifier(time_budget=None, random_state=0, max_members=2)
    model.fit(X, y)
    board = pd.DataFrame(model.leaderboard_)
    portfolio = choose_portfolio(X, "classification", SETTINGS)
    assert set(board["candidate"]) <= set(portfolio)
    tried_short = set(board["candidate"][board["short"]])
    assert {name for name, each in portfolio.items() if not each.parent} < tried_short
    assert tried_short & {name for name, each in portfolio.items() if each.parent}
    assert not board["failure"].any()
    assert not board["symmetric"].any()
    assert board["weight"].sum() == pytest.approx(1.0)
    assert len(model.members_) == 2
    assert model.member_weights_.sum() == pytest.approx(1.0)
    assert model.score(X, y) > 0.95


def test_probabilities_are_calibrated_on_noisy_labels():
    X, y = make_classification(1500, flip_y=0.4, random_state=0)
    too_long = {"n_components": 64, "max_epochs": 40}
    portfolio = {"one": too_long, "other": {**too_long, "density": "gaussian"}}
    model = quick(AutoSpectralKernelClassifier, portfolio=portfolio).fit(X[:1000], y[:1000])

    def log_loss():
        return -np.log(model.predict_proba(X[1000:])[np.arange(500), y[1000:]]).mean()

    assert model.temperature_ > 1.2
    calibrated = log_loss()
    model.temperature_ = 1.0
    assert calibrated < log_loss()


@pytest.mark.parametrize(("is_noisy", "max_epochs"), [(True, 40), (False, 8)])
@pytest.mark.parametrize("first_rung_rows", [10_000, 100])
def test_how_long_to_train_is_chosen_on_held_out_rows(is_noisy, max_epochs, first_rung_rows):
    random = np.random.default_rng(0)
    if is_noisy:
        X = random.normal(size=(900, 10))
        y = X[:, 0] + 2.0 * random.normal(size=900) > 0.0
    else:
        X = random.normal(size=(900, 2))
        y = np.sin(3.0 * X[:, 0]) > 0.0
    parameters = {"n_components": 200, "max_epochs": max_epochs, "batch_size": 64}
    portfolio = {"one": parameters, "other": {**parameters, "n_branches": 1}}
    settings = SETTINGS._replace(first_rung_rows=first_rung_rows)
    model = quick(AutoSpectralKernelClassifier, portfolio=portfolio, settings=settings).fit(X, y)
    board = pd.DataFrame(model.leaderboard_)
    forms = {(name, short) for name in ("one", "other") for short in (True, False)}
    assert set(zip(board["candidate"], board["short"], strict=True)) == forms
    weight = board["weight"][board["short"]].sum()
    assert weight > 0.7 if is_noisy else weight < 0.3
    assert {member.max_epochs for member in model.members_} <= {max_epochs // 4, max_epochs}


def test_the_members_of_a_classifier_know_numbers_and_the_ensemble_the_labels():
    iris = load_iris()
    names = iris.target_names[iris.target]
    model = quick(AutoSpectralKernelClassifier).fit(iris.data, names)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert all(member.classes_.tolist() == [0, 1, 2] for member in model.members_)
    assert (model.predict(iris.data) == names).mean() > 0.9
    numbered = quick(AutoSpectralKernelClassifier).fit(iris.data, iris.target)
    np.testing.assert_array_equal(model.predict_proba(iris.data), numbered.predict_proba(iris.data))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has one class, '7'"):
        quick(AutoSpectralKernelClassifier).fit([[0.0], [1.0]], [7, 7])
