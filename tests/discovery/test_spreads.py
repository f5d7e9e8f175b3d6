"""Spreads of similarly distributed columns: when they are taken, and what they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, SpreadEncoder, load
from askl.discovery.spreads import extend_order
from tests.auto.cases import within
from tests.discovery.sources import changed_by
from tests.models import classifier

SMALL = {"one": {"n_components": 64, "max_epochs": 5}}


def restless_sensors(n_rows=1200, *, seed=0):
    """Readings of five similar sensors, and of three others, which vary more in one class."""
    random = np.random.default_rng(seed)
    y = random.integers(2, size=n_rows)
    warm = random.normal(size=(n_rows, 1)) + random.normal(size=(n_rows, 5)) * (1.0 + y[:, None])
    bright = random.exponential(size=(n_rows, 3))
    other = random.uniform(-5.0, 50.0, size=(n_rows, 1))
    return np.hstack([warm[:, :2], other, warm[:, 2:], bright]), y


GROUPS = [(0, 1, 3, 4, 5), (6, 7, 8)]


@parametrize_with_checks([SpreadEncoder(random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_groups_are_taken_where_their_spreads_improve_predictions():
    X, y = restless_sensors()
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    assert encoder.groups_ == GROUPS
    assert encoder.gain_ > 0.1


def test_of_many_columns_spreads_improve_a_model():
    random = np.random.default_rng(0)
    y = random.integers(2, size=3000)
    X = random.normal(size=(3000, 20)) * (1.0 + 0.5 * y[:, None])
    plain = classifier().fit(X[:1500], y[:1500]).score(X[1500:], y[1500:])
    both = make_pipeline(SpreadEncoder(random_state=0), classifier()).fit(X[:1500], y[:1500])
    assert both.score(X[1500:], y[1500:]) > plain + 0.05


def test_means_and_spreads_equal_a_naive_loop():
    X, y = restless_sensors()
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    result = encoder.transform(X[:20])
    np.testing.assert_array_equal(result[:, :9], X[:20])
    for number, group in enumerate(GROUPS):
        mixed = [X[row, group[row % len(group)]] for row in range(len(X))]
        center, scale = np.mean(mixed), np.std(mixed)
        for row in range(20):
            values = [(X[row, column] - center) / scale for column in group]
            mean = sum(values) / len(values)
            spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
            assert result[row, 9 + number] == pytest.approx(mean, abs=1e-5)
            assert result[row, 11 + number] == pytest.approx(spread, abs=1e-5)


def test_values_that_are_equal_have_no_spread():
    X, y = restless_sensors()
    encoder = SpreadEncoder(random_state=0).fit(1e6 + X, y)
    assert encoder.groups_ == GROUPS
    np.testing.assert_array_equal(encoder.transform(np.full((3, 9), 1e6 + 0.3))[:, 11:], 0.0)


def test_large_numbers_do_not_overflow():
    X, y = restless_sensors()
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    assert np.isfinite(encoder.transform(np.full((1, 9), 1e300))).all()
    assert np.isfinite(encoder.transform(np.array([[1e300, -1e300, *[0.0] * 7]]))).all()


def test_spreads_that_improve_nothing_are_not_taken():
    X, _ = restless_sensors()
    random = np.random.default_rng(1)
    for y in (random.normal(size=len(X)), X[:, 0] + X[:, 2]):
        encoder = SpreadEncoder(random_state=0).fit(X, y)
        assert encoder.groups_ == []
        assert encoder.gain_ < 0.02
        np.testing.assert_array_equal(encoder.transform(X), X)


def test_constant_columns_and_those_of_two_values_are_in_no_group():
    X, y = restless_sensors()
    random = np.random.default_rng(1)
    flat = np.hstack([X, np.ones((len(X), 3)), random.integers(2, size=(len(X), 4))])
    assert SpreadEncoder(random_state=0).fit(flat, y).groups_ == GROUPS


def test_parameters_limit_what_is_taken():
    X, y = restless_sensors()
    assert SpreadEncoder(n_columns=6, random_state=0).fit(X, y).groups_ == GROUPS[:1]
    assert SpreadEncoder(least_columns=4, random_state=0).fit(X, y).groups_ == GROUPS[:1]
    none = SpreadEncoder(least_gain=0.9, random_state=0).fit(X, y)
    assert none.groups_ == []
    assert none.gain_ > 0.1


def test_with_few_rows_or_very_many_columns_no_groups_are_found():
    X, y = restless_sensors()
    assert SpreadEncoder(random_state=0).fit(X[:99], y[:99]).groups_ == []
    assert SpreadEncoder(random_state=0).fit(np.tile(X, 23), y).groups_ == []


@pytest.mark.parametrize("wrong", [{"n_columns": -1}, {"least_columns": 1}, {"least_gain": "x"}])
def test_wrong_parameters_are_named(wrong):
    X, y = restless_sensors(200)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SpreadEncoder(**wrong).fit(X, y)


def test_new_columns_are_named():
    X, y = restless_sensors()
    table = pd.DataFrame(X, columns=list("abcdefghi"))
    encoder = SpreadEncoder(random_state=0).fit(table, y)
    assert list(encoder.get_feature_names_out()[9:]) == [
        "mean of a to f",
        "mean of g to i",
        "spread of a to f",
        "spread of g to i",
    ]
    frame = encoder.set_output(transform="pandas").transform(table)
    assert frame.shape == (len(X), 13)


@settings(max_examples=50, deadline=None)
@given(st.permutations(range(3)), st.permutations(range(3)), st.booleans())
def test_orders_are_extended_to_the_new_columns(first, second, swap):
    random = np.random.default_rng(0)
    y = random.integers(2, size=400)
    rise = 1.0 + 2.0 * y[:, None]
    X = np.hstack([random.normal(size=(400, 3)) * rise, random.exponential(size=(400, 4)) * rise])
    X[:, 6] = 1.0
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    assert encoder.groups_ == [(0, 1, 2), (3, 4, 5)]
    second = [3 + place for place in second]
    order = (*second, *first, 6) if swap else (*first, *second, 6)
    extended = encoder.extend(order)
    np.testing.assert_allclose(
        encoder.transform(X)[:, extended][:, :7], encoder.transform(X[:, order])[:, :7]
    )
    # Groups have different scales: only exchanges within a group keep the new columns.
    if not swap:
        np.testing.assert_allclose(
            encoder.transform(X)[:, extended], encoder.transform(X[:, order]), rtol=1e-5
        )


@pytest.mark.parametrize("order", [(3, 1, 2, 0, 4, 5), (6, 1, 2, 3, 4, 5, 0)])
def test_orders_that_take_columns_of_a_group_from_several_are_not_extended(order):
    assert extend_order(order, [(0, 1, 2), (3, 4, 5)]) is None


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_automatic_models_use_them_and_keep_them(kind, tmp_path):
    X, y = restless_sensors(2000)
    model = kind(time_budget=None, portfolio=SMALL, max_members=1, random_state=0)
    model.fit(X[:1500], y[:1500])
    assert model.spreads_.groups_ == GROUPS
    hasty = within(kind, 5.0, portfolio=SMALL)
    hasty.fit(X[:1500], y[:1500])
    assert hasty.spreads_ is None
    assert model.score(X[1500:], y[1500:]) > hasty.score(X[1500:], y[1500:]) + 0.02
    loaded = load(model.save(tmp_path / "model.askl"))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_symmetries_and_spreads_are_found_side_by_side():
    random = np.random.default_rng(0)
    y = random.integers(2, size=1500)
    X = random.normal(size=(1500, 6)) * (1.0 + 0.5 * y[:, None])
    model = within(AutoSpectralKernelClassifier, 20.0, max_members=2).fit(X, y)
    assert model.spreads_.groups_ == [(0, 1, 2, 3, 4, 5)]
    assert len(model.symmetries_) == 5
    assert {order[6:] for order in model.symmetries_} == {(6, 7)}
    assert any(model.leaderboard_["symmetric"])
    assert model.score(X, y) > 0.7


def test_mean_targets_of_categories_are_in_no_group():
    X, y = restless_sensors()
    random = np.random.default_rng(1)
    words = {
        f"word {place}": [f"w{i}" for i in random.integers(40, size=len(X))] for place in range(3)
    }
    table = pd.DataFrame(X, columns=list("abcdefghi")).assign(**words)
    model = AutoSpectralKernelClassifier(
        time_budget=None, portfolio=SMALL, max_members=1, random_state=0
    ).fit(table, y)
    assert model.table_.n_target_columns_ == 3
    assert model.spreads_.n_columns == 9
    assert model.spreads_.groups_ == GROUPS
    assert "spread of g to i" in list(model.encoded_names())


def test_source_columns_are_those_that_change_the_output():
    X, y = restless_sensors()
    encoder = SpreadEncoder(random_state=0).fit(X, y)
    assert encoder.groups_
    assert encoder.source_columns() == changed_by(encoder, X)
