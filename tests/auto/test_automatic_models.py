"""The automatic estimators: scikit-learn's contract, what they choose, and what they promise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, load
from askl.errors import AsklError
from tests.auto.cases import QUICK, messy_table, product_of_alike, quick, within

BOTH = pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])


def expected_failures(estimator):
    reason = "members hold rows out and are drawn by number, so repeated rows are not weights"
    names = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{name}_data": reason for name in names}


@parametrize_with_checks(
    [quick(AutoSpectralKernelClassifier), quick(AutoSpectralKernelRegressor)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_same_seed_same_bits_and_parallel_too():
    X, y = load_iris(return_X_y=True)
    first, second, parallel = (
        quick(AutoSpectralKernelClassifier, n_jobs=n_jobs).fit(X, y).predict_proba(X)
        for n_jobs in (None, None, 2)
    )
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, parallel)


@BOTH
def test_the_default_budget_binds_and_the_seed_alone_decides(kind):
    X, y = load_iris(return_X_y=True)
    whole = quick(kind, max_members=9).fit(X, y)
    seconds = sum(whole.leaderboard_["estimated_seconds"]) / 2.0
    models = [
        within(kind, seconds, time_budget="auto", portfolio=QUICK, max_members=9, n_jobs=n_jobs)
        for n_jobs in (None, 2)
    ]
    for model in models:
        model.fit(X, y)
    assert len(models[0].members_) < len(whole.members_)
    columns = ["candidate", "short", "folds", "weight"]
    boards = [[model.leaderboard_[column] for column in columns] for model in models]
    assert boards[0] == boards[1]
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_a_killed_search_continues_from_its_memory(tmp_path: Path):
    X, y = load_iris(return_X_y=True)
    within(AutoSpectralKernelClassifier, 1e-3, portfolio=QUICK, memory=str(tmp_path)).fit(X, y)
    whole = quick(AutoSpectralKernelClassifier, memory=str(tmp_path)).fit(X, y)
    stored = len(list(tmp_path.rglob("output.pkl")))
    again = quick(AutoSpectralKernelClassifier, memory=str(tmp_path)).fit(X, y)
    assert len(list(tmp_path.rglob("output.pkl"))) == stored
    assert again.leaderboard_["seconds"] == whole.leaderboard_["seconds"]
    np.testing.assert_array_equal(whole.predict_proba(X), again.predict_proba(X))


def test_a_small_budget_still_gives_a_model():
    X, y = load_iris(return_X_y=True)
    for model in (
        within(AutoSpectralKernelClassifier, 1e-3, portfolio=QUICK),
        quick(AutoSpectralKernelClassifier, time_budget=1e-9),
    ):
        assert len(model.fit(X, y).members_) == 1
        assert model.score(X, y) > 0.7


@BOTH
@pytest.mark.parametrize("container", ["array", "list"])
def test_a_table_without_names_is_the_same_table(kind, container):
    table, signal = messy_table()
    y = signal > signal.mean() if kind is AutoSpectralKernelClassifier else signal
    rows = table.to_numpy() if container == "array" else table.to_numpy().tolist()
    expected = quick(kind).fit(table, y).predict(table)
    model = quick(kind).fit(rows, y)
    np.testing.assert_array_equal(model.predict(rows), expected)
    with pytest.raises(ValueError, match="features"):
        model.predict(table.to_numpy()[:, :3])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quick(kind).fit(rows, y[:-1])


@BOTH
def test_a_messy_table_goes_through_fit_predict_save_and_load(kind, tmp_path: Path):
    table, signal = messy_table()
    y = signal if kind is AutoSpectralKernelRegressor else np.where(signal > 0.5, "high", "low")
    model = quick(kind).fit(table, y)
    assert model.score(table, y) > 0.5
    model.save(tmp_path / "model.askl")
    loaded = load(tmp_path / "model.askl")
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    new = table.head(3).assign(town="never seen", size=np.nan)
    assert len(model.predict(new)) == 3


def test_rows_may_come_in_any_kind_of_table():
    table, signal = messy_table()
    model = quick(AutoSpectralKernelRegressor).fit(table, signal)
    written_out = table.assign(day=table["day"].dt.strftime("%Y-%m-%d"))
    for other in (written_out, pl.from_pandas(table), pa.Table.from_pandas(table)):
        np.testing.assert_array_equal(model.predict(other), model.predict(table))
        again = quick(AutoSpectralKernelRegressor).fit(other, signal)
        np.testing.assert_array_equal(again.predict(other), model.predict(table))


@BOTH
def test_exchangeable_columns_are_found_used_and_saved(kind, tmp_path: Path):
    X, y = product_of_alike()
    y = y > 0.0 if kind is AutoSpectralKernelClassifier else y
    model = within(kind, 8.0, max_members=4).fit(X[:600], y[:600])
    assert model.symmetries_ == [(1, 0, 2, 3), (2, 3, 0, 1)]
    assert any(model.leaderboard_["symmetric"])
    again = load(model.save(tmp_path / "model.askl"))
    assert again.symmetries_ == model.symmetries_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_users_portfolio_is_tried_as_it_is():
    X, y = product_of_alike()
    model = quick(AutoSpectralKernelRegressor).fit(X, y)
    assert model.symmetries_ == []
    assert set(model.leaderboard_["candidate"]) == set(QUICK)


def test_names_of_a_user_that_look_like_forms_collide_with_nothing():
    X, y = load_iris(return_X_y=True)
    names = ("a", "a, short", "a (short)", "a, symmetric")
    portfolio = dict.fromkeys(names, QUICK["one layer"])
    board = quick(AutoSpectralKernelClassifier, portfolio=portfolio).fit(X, y).leaderboard_
    rows = set(zip(board["candidate"], board["short"], board["symmetric"], strict=True))
    assert len(rows) == len(board["candidate"])
    assert {name for name, short, _ in rows if short} == set(names)


def test_sparse_inputs_are_kept_sparse():
    X, y = load_iris(return_X_y=True)
    model = within(AutoSpectralKernelClassifier, 2.0).fit(csr_matrix(X), y)
    assert not any("ranks" in name for name in model.leaderboard_["candidate"])
    assert model.encoders_ == []
    np.testing.assert_allclose(model.predict_proba(csr_matrix(X)), model.predict_proba(X))


def test_a_candidate_that_fails_is_shown_and_left_out():
    X, y = load_iris(return_X_y=True)
    broken = {**QUICK["one layer"], "symmetries": [(1, 0)]}  # there are four columns
    model = quick(AutoSpectralKernelClassifier, portfolio={**QUICK, "broken": broken}).fit(X, y)
    board = pd.DataFrame(model.leaderboard_).set_index("candidate")
    assert "symmetries" in board.loc["broken", "failure"]
    assert board.loc["broken", "weight"] == 0.0
    with pytest.raises(AsklError, match="No candidate could be trained"):
        quick(AutoSpectralKernelClassifier, portfolio={"a": broken, "b": broken}).fit(X, y)
