"""The automatic estimators: scikit-learn's contract, what they choose, and what they promise."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from askl import (
    AutoSpectralKernelClassifier,
    AutoSpectralKernelRegressor,
    SpectralKernelClassifier,
    find_symmetries,
    load,
    make_table_pipeline,
)
from askl.auto.base import MOST_COLUMNS_TO_DECORRELATE
from askl.auto.budget import Budget
from askl.auto.candidates import PORTFOLIO, SYMMETRIC, Candidate, with_symmetries
from askl.auto.search import BRIEF, PROBES, SECOND_RUNG, SYMMETRIC_SHARE, Search, make_folds
from askl.auto.selection import classification_error, squared_error
from askl.auto.trial import Problem, Trial, train_one
from askl.errors import AsklError

QUICK = {
    "one layer": {"n_components": 32, "max_epochs": 4},
    "two layers": {"hidden_components": (16,), "n_components": 16, "max_epochs": 4},
    "ranks": {"n_components": 32, "max_epochs": 4, "scale_inputs": "quantile"},
}


def quick(kind, **parameters):
    options = {"time_budget": None, "max_members": 3, "portfolio": QUICK, "random_state": 0}
    return kind(**{**options, **parameters})


def messy_table(n_rows: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": random.normal(size=n_rows),
            "color": random.choice(["red", "green", "blue"], n_rows),
            "town": pd.Categorical(random.choice([f"town {i}" for i in range(40)], n_rows)),
            "day": pd.date_range("2020-01-01", periods=n_rows),
            "flag": random.random(n_rows) > 0.5,
        }
    )
    signal = table["size"] + (table["color"] == "red") + table["flag"]
    table.loc[::7, "size"] = np.nan
    table.loc[::9, "color"] = None
    table.loc[::11, "day"] = pd.NaT
    return table, signal.to_numpy()


def problem_of(kind, X, y):
    n_classes = 3 if kind is AutoSpectralKernelClassifier else 0
    error = classification_error if n_classes else squared_error
    return Problem(X, y, None, n_classes, error, 0)


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


def test_the_whole_portfolio_runs_and_the_leaderboard_tells_of_it():
    X, y = load_iris(return_X_y=True)
    model = AutoSpectralKernelClassifier(time_budget=None, random_state=0, max_members=2)
    model.fit(X, y)
    board = model.leaderboard_
    tried = set(board["start"])
    assert tried <= {name + end for name in PORTFOLIO for end in ("", BRIEF)}
    starts = {name: start for name, start in PORTFOLIO.items() if start.task != "regression"}
    assert {name + BRIEF for name, start in starts.items() if not start.follows} < tried
    assert tried & {name + BRIEF for name, start in starts.items() if start.follows}
    assert not any(board["failure"])
    assert sum(board["weight"]) == pytest.approx(1.0)
    assert len(model.members_) == 2
    assert model.member_weights_.sum() == pytest.approx(1.0)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(
    ("n_samples", "task", "epochs", "batch_size"),
    [
        (200, "classification", 30, 32),
        (200, "regression", 20, 32),
        (2000, "regression", 20, 125),
        (10_000, "classification", 30, 156),
        (10_000, "regression", 20, 156),
        (100_000, "classification", 10, 256),
    ],
)
def test_a_start_makes_fewer_passes_over_many_rows_and_with_an_exact_head(
    n_samples, task, epochs, batch_size
):
    settings = Candidate({"n_components": 9}).settings(4, n_samples, task)
    assert settings == {"max_epochs": epochs, "batch_size": batch_size, "n_components": 9}
    assert Candidate({"max_epochs": 3}).settings(4, n_samples, task)["max_epochs"] == 3


def test_same_seed_same_bits_and_parallel_too():
    X, y = load_iris(return_X_y=True)
    first, second, parallel = (
        quick(AutoSpectralKernelClassifier, n_jobs=n_jobs).fit(X, y).predict_proba(X)
        for n_jobs in (None, None, 2)
    )
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, parallel)


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_the_default_budget_binds_and_the_seed_alone_decides(kind, monkeypatch):
    X, y = load_iris(return_X_y=True)
    whole = quick(kind, time_budget=None, max_members=9).fit(X, y)
    work = sum(
        Search(problem_of(kind, X, y), {"it": Candidate(each)}, Budget(None), {}).estimate_seconds(
            each, len(X)
        )
        for each in QUICK.values()
    )
    monkeypatch.setattr("askl.auto.base.default_budget", lambda *shape: 4.0 * work)
    models = [
        quick(kind, time_budget="auto", max_members=9, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (None, 2)
    ]
    assert len(models[0].members_) < len(whole.members_)
    boards = [(model.leaderboard_["start"], model.leaderboard_["folds"]) for model in models]
    assert boards[0] == boards[1]
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_a_killed_search_goes_on_from_its_memory(tmp_path: Path):
    X, y = load_iris(return_X_y=True)
    model = quick(AutoSpectralKernelClassifier, memory=str(tmp_path), time_budget=1e-3)
    model.fit(X, y)  # ends after the least it must do
    whole = quick(AutoSpectralKernelClassifier, memory=str(tmp_path)).fit(X, y)
    started = time.perf_counter()
    again = quick(AutoSpectralKernelClassifier, memory=str(tmp_path)).fit(X, y)
    assert time.perf_counter() - started < whole.fit_seconds_
    np.testing.assert_array_equal(whole.predict_proba(X), again.predict_proba(X))


def test_a_small_budget_still_gives_a_model():
    X, y = load_iris(return_X_y=True)
    model = quick(AutoSpectralKernelClassifier, time_budget=1e-3).fit(X, y)
    assert len(model.members_) == 1
    assert model.score(X, y) > 0.7


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
@pytest.mark.parametrize("first_rows", [10_000, 100])
def test_how_long_to_train_is_chosen_on_held_out_rows(
    is_noisy, max_epochs, first_rows, monkeypatch
):
    monkeypatch.setattr("askl.auto.search.FIRST_ROWS", first_rows)
    random = np.random.default_rng(0)
    if is_noisy:
        X = random.normal(size=(900, 10))
        y = X[:, 0] + 2.0 * random.normal(size=900) > 0.0
    else:
        X = random.normal(size=(900, 2))
        y = np.sin(3.0 * X[:, 0]) > 0.0
    start = {"n_components": 200, "max_epochs": max_epochs, "batch_size": 64}
    portfolio = {"one": start, "other": {**start, "n_branches": 1}}
    model = quick(AutoSpectralKernelClassifier, portfolio=portfolio).fit(X, y)
    board = pd.DataFrame(model.leaderboard_).set_index("start")
    assert set(board.index) == {"one", "other", "one" + BRIEF, "other" + BRIEF}
    weight = board["weight"][board.index.str.endswith(BRIEF)].sum()
    assert weight > 0.7 if is_noisy else weight < 0.3
    assert {member.max_epochs for member in model.members_} <= {max_epochs // 4, max_epochs}


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
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


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
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


def test_a_pipeline_goes_through_cross_validation_and_search():
    table, signal = messy_table()
    y = np.where(signal > 0.5, "high", "low")
    pipeline = make_table_pipeline(
        SpectralKernelClassifier(n_components=32, max_epochs=3, random_state=0)
    )
    assert cross_val_score(pipeline, table, y, cv=3).mean() > 0.6
    search = GridSearchCV(pipeline, {"model__n_components": [16, 32]}, cv=3).fit(table, y)
    assert search.best_score_ > 0.6


def test_regression_has_deviations_and_many_outputs():
    X, y = load_diabetes(return_X_y=True)
    model = quick(AutoSpectralKernelRegressor).fit(X, y)
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, model.predict(X))
    assert np.mean(np.abs(y - mean) <= 1.645 * deviation) == pytest.approx(0.9, abs=0.08)
    both = quick(AutoSpectralKernelRegressor).fit(X, np.stack([y, -y], axis=1))
    assert both.predict(X).shape == (len(y), 2)


def test_members_without_an_exact_head_have_the_deviation_of_held_out_errors(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    descended = {name: {**each, "refit_head": False} for name, each in QUICK.items()}
    targets = np.stack([y, -2.0 * y], axis=1)
    model = quick(AutoSpectralKernelRegressor, portfolio=descended).fit(X, targets)
    assert not any(member.has_deviations for member in model.members_)
    assert model.held_out_deviation_.shape == (2,)
    mean, deviation = model.predict(X, return_std=True)
    assert (deviation >= model.held_out_deviation_).all()
    within = np.abs(targets - mean) <= 1.645 * deviation
    np.testing.assert_allclose(within.mean(axis=0), 0.9, atol=0.08)
    again = load(model.save(tmp_path / "model.askl"))
    np.testing.assert_array_equal(again.predict(X, return_std=True)[1], deviation)

    one = quick(AutoSpectralKernelRegressor, portfolio={**QUICK, **descended}).fit(X, y)
    assert load(one.save(tmp_path / "one.askl")).held_out_deviation_ == one.held_out_deviation_
    alone = {"one layer": descended["one layer"]}  # nothing to choose, nothing held out
    with pytest.raises(ValueError, match="refit_head=True"):
        quick(AutoSpectralKernelRegressor, portfolio=alone).fit(X, y).predict(X, return_std=True)


@pytest.mark.parametrize(("most_rows", "epochs"), [(10_000, 5), (200, 8), (20, 20)])
def test_the_first_rung_has_its_share_of_steps_on_however_many_rows(most_rows, epochs, monkeypatch):
    monkeypatch.setattr("askl.auto.search.FIRST_ROWS", most_rows)
    X, y = load_diabetes(return_X_y=True)
    problem = Problem(X[:400], y[:400], None, 0, squared_error, 0)
    climb = Search(problem, {"small": Candidate({"n_components": 8})}, Budget(None), {})
    shapes = []

    def run(fold, settings, train, held_out):
        shapes.append((len(train), settings["small"]["max_epochs"]))
        return [tried("small", 1.0)]

    monkeypatch.setattr(climb, "_run", run)
    climb._first_rung(["small"])
    assert shapes == [(min(320, most_rows), epochs)]


@pytest.mark.parametrize(("n_samples", "expected"), [(100, 12), (1200, 8), (1600, 6), (9000, 6)])
def test_of_few_rows_more_settings_are_tried_on_all_folds(n_samples, expected):
    problem = Problem(np.zeros((n_samples, 2)), np.arange(n_samples), None, 0, squared_error, 0)
    assert Search(problem, {}, Budget(None), {}).third_rung == expected


def test_there_are_not_very_many_bins(rng):
    X = rng.normal(size=(50, 21))
    model = AutoSpectralKernelClassifier(time_budget=1e-3, random_state=0)
    assert any("bins" in name for name in model._candidates(X[:, :20]))
    assert not any("bins" in name for name in model._candidates(X))
    flags = np.tile(X > 0.0, 5)
    assert any("bins" in name for name in model._candidates(flags))
    assert not any("bins" in name for name in model._candidates(np.tile(flags, 2)))


def tried(name, error):
    return Trial(name, 0, np.zeros(20), error, 1.0, "")


@pytest.mark.parametrize("pays", [True, False])
def test_all_epochs_are_tried_further_only_where_they_paid(pays, monkeypatch):
    problem = Problem(np.zeros((100, 2)), np.arange(100.0), None, 0, squared_error, 0)
    climb = Search(
        problem, {str(i): Candidate({"max_epochs": 8}) for i in range(9)}, Budget(None), {}
    )
    begun = []

    def run(fold, settings, train, held_out):
        for name in settings:
            is_brief = len(climb.first) < 9 or name.endswith(BRIEF)
            begun.append((fold, name, is_brief))
            yield tried(name, float(name[0]) + (0.5 if is_brief == pays else 0.0))

    monkeypatch.setattr(climb, "_run", run)
    climb.run()
    long = {name for fold, name, is_brief in begun if fold == 0 and not is_brief}
    assert long == {str(i) for i in range(SECOND_RUNG if pays else PROBES)}


@pytest.mark.parametrize(("error", "is_tried"), [(0.0, True), (9.0, False)])
def test_variants_are_tried_of_what_is_good(error, is_tried, monkeypatch):
    problem = Problem(np.zeros((100, 2)), np.arange(100.0), None, 0, squared_error, 0)
    starts = {
        "plain": Candidate({}),
        "other": Candidate({}),
        "variant": Candidate({}, follows="other"),
    }
    climb = Search(problem, starts, Budget(None), {})

    def run(fold, settings, train, held_out):
        return [tried(name, error if name == "other" else 1.0) for name in settings]

    monkeypatch.setattr(climb, "_run", run)
    climb.run()
    assert ("variant" in climb.first) == is_tried


def test_the_best_are_trained_to_the_end_before_variants_and_those_of_the_best_come_first(
    monkeypatch,
):
    problem = Problem(np.zeros((100, 2)), np.arange(100.0), None, 0, squared_error, 0)
    starts = {
        "good": Candidate({}),
        "of good": Candidate({}, follows="good"),
        "of best": Candidate({}, follows="best"),
        "best": Candidate({}),
        "bad": Candidate({}),
    }
    climb = Search(problem, starts, Budget(None), {})
    errors, begun = {"best": 1.0, "good": 2.0, "bad": 3.0}, []

    def run(fold, settings, train, held_out):
        begun.extend(settings)
        return [tried(name, errors.get(name, 9.0)) for name in settings]

    monkeypatch.setattr(climb, "_run", run)
    climb.run()
    briefly, to_the_end, variants = ["good", "best", "bad"], ["best", "good", "bad"], begun[6:8]
    assert begun[:6] == briefly + to_the_end
    assert variants == ["of best", "of good"]


def test_a_variant_that_is_among_the_best_is_trained_to_the_end_though_that_did_not_pay(
    monkeypatch,
):
    problem = Problem(np.zeros((100, 2)), np.arange(100.0), None, 0, squared_error, 0)
    starts = {str(i): Candidate({"max_epochs": 8}) for i in range(PROBES + 1)}
    starts["variant"] = Candidate({"max_epochs": 8}, follows="0")
    climb = Search(problem, starts, Budget(None), {})
    begun = []

    def run(fold, settings, train, held_out):
        begun.extend((fold, name, each["max_epochs"]) for name, each in settings.items())
        return [tried(n, 1.0 + settings[n]["max_epochs"] - (n == "variant")) for n in settings]

    monkeypatch.setattr(climb, "_run", run)
    climb.run()
    assert not climb._pays_to_go_on()
    assert (0, "variant", 8) in begun
    assert (0, str(PROBES), 8) not in begun


@pytest.mark.parametrize(
    ("model", "other"),
    [
        (AutoSpectralKernelClassifier(), "regression"),
        (AutoSpectralKernelRegressor(), "classification"),
    ],
)
def test_a_start_for_one_task_is_not_tried_for_the_other(model, other, rng):
    starts = model._candidates(rng.normal(size=(50, 2)))
    assert starts == {name: start for name, start in PORTFOLIO.items() if start.task != other}
    assert ("rectified" in starts) == (other == "classification")


def test_very_many_columns_are_not_decorrelated():
    few, many = (
        AutoSpectralKernelClassifier()._candidates(np.ones((20, n_columns)))
        for n_columns in (MOST_COLUMNS_TO_DECORRELATE, MOST_COLUMNS_TO_DECORRELATE + 1)
    )
    left_out = {name for name in few if few[name].parameters.get("decorrelate_inputs")}
    assert left_out
    assert set(many) == set(few) - left_out


def test_symmetries_are_tried_of_what_is_good_and_kept_for_variants_where_they_help(monkeypatch):
    problem = Problem(np.zeros((100, 4)), np.arange(100.0), None, 0, squared_error, 0)
    starts = {name: Candidate({}) for name in ("best", "good", "poor", "bad")}
    starts |= {f"of {name}": Candidate({}, follows=name) for name in ("best", "good", "poor")}
    starts = with_symmetries(starts, [(1, 0, 2, 3)])
    climb = Search(problem, starts, Budget(None), {})
    errors = {"best": 2.0, "good": 3.0, "poor": 4.0, "bad": 5.0}
    errors |= {"best" + SYMMETRIC: 1.0, "good" + SYMMETRIC: 3.5}

    def run(fold, settings, train, held_out):
        return [tried(name, errors.get(name.removesuffix(BRIEF), 9.0)) for name in settings]

    monkeypatch.setattr(climb, "_run", run)
    climb.run()
    assert list(climb.first)[4:] == [
        "best" + SYMMETRIC,
        "good" + SYMMETRIC,
        "of best" + SYMMETRIC,
        "of good",
    ]
    assert climb.settings["of best" + SYMMETRIC]["symmetries"] == [(1, 0, 2, 3)]
    assert "symmetries" not in climb.settings["of good"]


def product_of_alike(n_rows: int = 700) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    return X, X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_columns_that_may_change_places_are_found_used_and_saved(kind, tmp_path: Path):
    X, y = product_of_alike()
    y = y > 0.0 if kind is AutoSpectralKernelClassifier else y
    model = kind(time_budget=8, max_members=4, random_state=0).fit(X[:600], y[:600])
    assert model.symmetries_ == [(1, 0, 2, 3), (2, 3, 0, 1)]
    assert any(SYMMETRIC in name for name in model.leaderboard_["start"])
    again = load(model.save(tmp_path / "model.askl"))
    assert again.symmetries_ == model.symmetries_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_of_many_columns_two_that_may_change_places_are_not_worth_it():
    X = np.random.default_rng(0).normal(size=(600, 7)) * [1, 1, 4, 16, 64, 256, 1024]
    y = X[:, 0] + X[:, 1]
    assert find_symmetries(X, y) == [(1, 0, 2, 3, 4, 5, 6)]
    model = AutoSpectralKernelRegressor(time_budget=1, max_members=1, random_state=0)
    assert model.fit(X, y).symmetries_ == []
    assert model.fit(X[:, :4], y).symmetries_ == [(1, 0, 2, 3)]


def test_where_nobody_names_seconds_symmetries_have_more_of_them():
    named, estimated = Budget(10.0), Budget(10.0, estimated=True)
    for clock in (named, estimated, Budget(None)):
        clock.extend(SYMMETRIC_SHARE)
    assert (named.budget, estimated.budget) == (10.0, 10.0 * SYMMETRIC_SHARE)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_symmetries_have_more_where_the_best_start_uses_them(sign):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 4))
    y = X[:, 0] + sign * X[:, 1] + 0.3 * random.normal(size=400)
    problem = Problem(X, y, None, 0, squared_error, 0)
    starts = {name: Candidate({"n_components": 64, "max_epochs": 4, "density": density})
              for name, density in (("sparse", "sparse"), ("dense", "gaussian"))}  # fmt: skip
    clock = Budget(60.0, estimated=True)
    climb = Search(problem, with_symmetries(starts, [(1, 0, 2, 3)]), clock, {})
    climb.run()
    best = min(climb.first.values(), key=lambda trial: trial.error).name
    assert best.endswith(SYMMETRIC) == (sign > 0.0)
    assert clock.budget == (60.0 * SYMMETRIC_SHARE if sign > 0.0 else 60.0)


def test_a_users_portfolio_is_tried_as_it_is():
    X, y = product_of_alike()
    model = quick(AutoSpectralKernelRegressor).fit(X, y)
    assert model.symmetries_ == []
    assert {name.removesuffix(BRIEF) for name in model.leaderboard_["start"]} == set(QUICK)


@pytest.mark.parametrize("near", ["near", "near" + BRIEF, "near, for nothing"])
@pytest.mark.parametrize("n_classes", [0, 2])
def test_what_is_nearly_as_good_has_a_share_but_of_classes_no_brief_form(n_classes, near, rng):
    numbers = rng.normal(size=100)
    targets = (numbers > 0.0).astype(int) if n_classes else numbers
    error = classification_error if n_classes else squared_error
    problem = Problem(np.zeros((100, 2)), targets, None, n_classes, error, 0)
    names = ("best", "near", "near, for nothing", "near too", "bad")
    climb = Search(problem, {name: Candidate({}) for name in names}, Budget(None), {})
    held_out = climb.folds[0][1]
    # All err the same way, so that greedy selection takes the best alone.
    for name, shift in (("best", 1.0), (near, 1.1), ("near too", 1.05), ("bad", 3.0)):
        predictions = targets[held_out] + shift
        if n_classes:
            wrong = np.arange(len(held_out)) < 5 * shift
            predictions = np.where(wrong ^ (targets[held_out] == 1), 0.9, 0.1)
            predictions = np.column_stack([1.0 - predictions, predictions])
        climb.trials[name] = [tried(name, shift)._replace(predictions=predictions)]
    failed = tried("", 1.05)._replace(predictions=None)  # so it is not among what is weighed
    climb.trials["near, for nothing" + BRIEF] = [failed]
    weights = dict(zip(climb.settings, climb._weigh(list(climb.settings), 3), strict=True))
    # Two are too few to share anything.
    too_few = n_classes and near != "near"
    best, others = (1.0, 0.0) if too_few else (2 / 3, 1 / 6)
    assert weights["best"] == pytest.approx(best)
    assert weights[near] == weights["near too"] == pytest.approx(others)
    assert weights["bad"] == 0.0


def test_what_is_followed_is_in_the_portfolio():
    followed = {start.follows for start in PORTFOLIO.values() if start.follows}
    assert followed
    assert all(not PORTFOLIO[name].follows for name in followed)


def test_members_are_left_the_time_they_will_take(monkeypatch):
    problem = Problem(np.zeros((100, 2)), np.arange(100.0), None, 0, squared_error, 0)
    starts = {"quick": Candidate({"max_epochs": 10}), "slow": Candidate({"max_epochs": 100})}
    climb = Search(problem, starts, Budget(100.0), {}, n_members=16)
    monkeypatch.setattr(climb, "estimate_seconds", lambda each, n: n * each["max_epochs"] / 1000.0)
    assert climb._reserve() == 40.0  # two fifths, as long as nothing is known
    climb.trials = {"quick": [tried("quick", 1.0)]}
    assert climb._reserve() == pytest.approx(16.0)
    climb.trials["slow"] = [tried("slow", 1.0)]
    assert climb._reserve() == 40.0
    names = list(climb.settings)
    climb.expected = np.array([{"quick": 4, "slow": 1}.get(name, 0) for name in names])
    assert climb._reserve() == pytest.approx(4 * 1.0 + 10.0)
    climb.clock.end(1.0, 8.0)  # on a slow machine two fifths are less work
    assert climb._reserve() == pytest.approx(5.0)


def test_an_exact_head_is_given_fewer_epochs():
    start, descended = Candidate({}), Candidate({"refit_head": False})
    assert start.settings(5, 1000, "regression")["max_epochs"] == 20
    assert descended.settings(5, 1000, "regression")["max_epochs"] == 30
    assert start.settings(5, 1000, "classification")["max_epochs"] == 30
    assert descended.settings(5, 100_000, "regression")["max_epochs"] == 10


def test_the_kernel_is_the_gram_matrix_of_the_features():
    X, y = load_iris(return_X_y=True)
    model = quick(AutoSpectralKernelClassifier).fit(X, y)
    features = model.transform(X).astype(np.float64)
    np.testing.assert_allclose(model.kernel(X), features @ features.T, atol=1e-5)
    np.testing.assert_allclose(model.kernel(X, X[:5]), model.kernel(X)[:, :5], atol=1e-6)


def test_sparse_inputs_get_no_ranks():
    X, y = load_iris(return_X_y=True)
    model = AutoSpectralKernelClassifier(time_budget=2, random_state=0, max_members=1)
    model.fit(csr_matrix(X), y)
    assert not any("ranks" in name for name in model.leaderboard_["start"])


def test_a_start_that_fails_is_told_of_and_left_out():
    X, y = load_iris(return_X_y=True)
    portfolio = {**QUICK, "broken": {"loss": "squared"}}
    model = quick(AutoSpectralKernelClassifier, portfolio=portfolio).fit(X, y)
    row = model.leaderboard_["start"].index("broken, brief")
    assert "loss" in model.leaderboard_["failure"][row]
    assert model.leaderboard_["weight"][row] == 0.0
    with pytest.raises(AsklError, match="No start"):
        quick(
            AutoSpectralKernelClassifier,
            portfolio={"a": {"loss": "squared"}, "b": {"loss": "squared"}},
        ).fit(X, y)


def test_held_out_rows_are_never_trained_on():
    targets = np.repeat([0, 1, 2], [50, 30, 20])
    problem = Problem(np.zeros((100, 1)), targets, None, 3, lambda a, b: 0.0, seed=0)
    folds = make_folds(problem)
    assert len(folds) == 5
    for train, held_out in folds:
        assert not set(train) & set(held_out)
        assert np.bincount(targets[held_out]).tolist() == [10, 6, 4]


def test_a_model_on_trial_is_the_same_but_for_what_nobody_asks_of_it(rng):
    X = rng.normal(size=(200, 3))
    problem = Problem(X, X[:, 0], None, 0, squared_error, 0)
    settings = {"n_components": 32, "max_epochs": 2}
    kept, tried = (train_one(problem, settings, 0, for_selection=on).model for on in (False, True))
    np.testing.assert_array_equal(kept.predict(X), tried.predict(X))
    assert kept.feature_relevance_.argmax() == 0
    assert not hasattr(tried, "feature_relevance_")


def test_encoded_columns_have_names_and_sources():
    table, y = messy_table()
    model = quick(AutoSpectralKernelRegressor, max_members=1).fit(table, y)
    names, sources = list(model.encoded_names()), model.encoded_sources()
    assert len(names) == len(sources) == model.encode_inputs(table).shape[1]
    for name, source in (
        ("size", 0),
        ("missingindicator_size", 0),
        ("color_red", 1),
        ("town", 2),
        ("day_day of the week", 3),
    ):
        assert sources[names.index(name)] == (source,)


def test_members_take_arrays_whatever_transformers_are_set_to_return(tmp_path: Path):
    table, y = messy_table()
    expected = quick(AutoSpectralKernelRegressor).fit(table, y).predict(table)
    with config_context(transform_output="pandas"):
        model = quick(AutoSpectralKernelRegressor).fit(table, y)
        np.testing.assert_array_equal(model.predict(table), expected)
        again = load(model.save(tmp_path / "model.askl"))
        np.testing.assert_array_equal(again.predict(table), expected)
