"""The study of ``askl tune``: what is proposed, and how it is scored."""

from __future__ import annotations

import numpy as np
import optuna
import pytest
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import cross_val_predict

from askl.cli.models.problem import Problem
from askl.cli.models.study import (
    StudyPlan,
    choose_error,
    cross_validate,
    open_study,
    propose,
    without_password,
)
from askl.errors import AsklError
from tests.models import classifier, regressor


def test_fixed_parameters_are_not_proposed():
    trial = optuna.create_study().ask()
    drawn = propose(trial, {"dropout": 0.3, "n_components": 9}, regression=True)
    assert drawn["dropout"] == 0.3
    assert drawn["n_components"] == 9
    assert "dropout" not in trial.params
    assert "head_penalty" not in drawn
    assert "head_penalty" in propose(optuna.create_study().ask(), {}, regression=False)


def test_the_error_fits_the_task(classes, numbers):
    (X, y), (A, b) = classes, numbers
    errors = [
        choose_error(Problem(X, y, False, None), classifier()).name,
        choose_error(Problem(X, y, False, None), classifier(loss="hinge")).name,
        choose_error(Problem(A, b, True, None), regressor()).name,
    ]
    assert errors == ["log loss", "share of errors", "RMSE"]


def test_cross_validation_is_scikit_learns(classes, numbers):
    X, y = numbers
    model = regressor("sk")
    folds = [
        root_mean_squared_error(y[rows], cross_val_predict(model, X, y, cv=3)[rows])
        for rows in np.array_split(np.arange(len(y)), 3)
    ]
    assert cross_validate(Problem(X, y, True, None), model) == pytest.approx(np.mean(folds))
    X, y = classes
    model = classifier(max_epochs=2)
    shares = cross_val_predict(model, X, y, cv=3, method="predict_proba")
    found = cross_validate(Problem(X, y, False, None), model)
    assert found == pytest.approx(log_loss(y, shares), rel=0.02)


def test_a_stored_study_is_resumed_only_by_the_same_problem(tmp_path):
    plan = StudyPlan(3, None, f"sqlite:///{tmp_path / 'study.db'}", "mine", 1)
    first = open_study(plan, "RMSE of askl")
    assert first.ask().params == {}
    assert open_study(plan, "RMSE of askl").user_attrs == {"what": "RMSE of askl"}
    with pytest.raises(AsklError, match="'mine' is of RMSE of askl; this one is of log loss"):
        open_study(plan, "log loss of sk")
    with pytest.raises(AsklError, match=r"user:\*\*\*@host.*cannot be opened"):
        open_study(plan._replace(storage="nowhere://user:secret@host/x"), "x")


def test_passwords_are_hidden():
    assert without_password("mysql://me:secret@host/db") == "mysql://me:***@host/db"
    assert without_password("sqlite:///study.db") == "sqlite:///study.db"
    assert without_password(None) == ""
