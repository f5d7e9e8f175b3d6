"""Neighbours' targets: the pairs found, the means against a naive loop, and no row its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, NeighbourEncoder, load
from askl.discovery.neighbours import _cross_fit, _mean_around, _merge
from tests.auto.cases import within
from tests.models import regressor


def map_of_houses(n_rows=1500, *, seed=0):
    """Rows whose target is smooth in one column, and a fine checkerboard in two others."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n_rows, 4))
    board = np.floor(X[:, 1] * 8) + np.floor(X[:, 3] * 8)
    return X, 2.0 * X[:, 0] + board % 2 + 0.1 * random.normal(size=n_rows)


@parametrize_with_checks([NeighbourEncoder(random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def naive_mean(point, places, targets, counts, n_neighbours):
    distances = np.sqrt(((places - point) ** 2).sum(axis=1))
    order = np.argsort(distances)[: n_neighbours + 1]
    reach = distances[order[-1]]
    total, weights = 0.0, 0.0
    for each in order:
        weight = counts[each] * (1.0 - distances[each] / reach)
        total, weights = total + weight * targets[each], weights + weight
    return total / weights


def test_means_equal_a_naive_loop():
    random = np.random.default_rng(0)
    places, targets = random.normal(size=(50, 2)), random.normal(size=(50, 3))
    counts = random.integers(1, 4, size=50)
    points = random.normal(size=(20, 2))
    means = _mean_around(points, places, targets, counts, n_neighbours=6)
    expected = [naive_mean(point, places, targets, counts, 6) for point in points]
    np.testing.assert_allclose(means, expected, rtol=1e-6)


def test_means_of_one_value_are_that_value():
    random = np.random.default_rng(0)
    places, counts = random.normal(size=(50, 2)), random.integers(1, 4, size=50)
    means = _mean_around(
        random.normal(size=(200, 2)), places, np.full((50, 1), 0.1), counts, n_neighbours=6
    )
    assert len(np.unique(means)) == 1


def test_rows_at_one_place_are_one_neighbour_with_their_mean():
    points = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0]])
    places, means, counts = _merge(points, np.array([[1.0], [5.0], [3.0], [7.0]]))
    merged = {
        tuple(place): (mean[0], n) for place, mean, n in zip(places, means, counts, strict=True)
    }
    assert merged == {(1.0, 0.0): (2.0, 2), (0.0, 2.0): (5.0, 1), (0.0, 1.0): (7.0, 1)}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_any_ties_give_a_mean_of_the_targets_whatever_the_order_of_rows(cells):
    points = np.array(cells, dtype=np.float32)
    targets = np.arange(len(points), dtype=np.float64)[:, None]
    queries = np.array([[0.0, 0.0], [1.5, 1.5], [9.0, -1.0]], dtype=np.float32)
    means = _mean_around(queries, *_merge(points, targets), n_neighbours=40)
    assert np.all((means >= targets.min()) & (means <= targets.max()))
    turned = _mean_around(queries, *_merge(points[::-1], targets[::-1]), n_neighbours=40)
    np.testing.assert_allclose(turned, means)


def test_the_mean_is_continuous_where_neighbours_change():
    random = np.random.default_rng(0)
    known = _merge(random.uniform(size=(300, 2)), random.normal(size=(300, 1)))
    line = np.stack([np.linspace(0.0, 1.0, 20001), np.full(20001, 0.5)], axis=1)
    means = _mean_around(line, *known, n_neighbours=5)
    assert np.abs(np.diff(means[:, 0])).max() < 0.02


def test_the_pair_is_found_and_pays():
    X, y = map_of_houses(3000)
    encoder = NeighbourEncoder(random_state=0).fit(X[:2000], y[:2000])
    assert encoder.groups_ == [(1, 3)]
    plain = regressor().fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    both = make_pipeline(NeighbourEncoder(random_state=0), regressor()).fit(X[:2000], y[:2000])
    assert both.score(X[2000:], y[2000:]) > plain + 0.1


def test_noise_and_smooth_functions_have_no_place():
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 6))
    for y in (random.normal(size=1000), X[:, 0] * X[:, 1] + X[:, 2]):
        encoder = NeighbourEncoder(random_state=0)
        np.testing.assert_array_equal(encoder.fit_transform(X, y), X)
        assert encoder.groups_ == []


def test_one_steep_column_is_taken_alone_and_pays():
    random = np.random.default_rng(0)
    X = random.uniform(size=(3000, 5))
    y = X[:, 0] + np.floor(X[:, 2] * 60) % 2
    encoder = NeighbourEncoder(random_state=0).fit(X[:2000], y[:2000])
    assert encoder.groups_ == [(2,)]
    assert encoder.get_feature_names_out()[-1] == "target near x2"
    plain = regressor().fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    both = make_pipeline(NeighbourEncoder(random_state=0), regressor()).fit(X[:2000], y[:2000])
    assert both.score(X[2000:], y[2000:]) > plain + 0.1


def test_no_row_sees_its_own_target():
    X, y = map_of_houses()
    encoder = NeighbourEncoder(random_state=0)
    before = encoder.fit_transform(X, y)[:, -1]
    y = y.copy()
    y[7] += 1e6
    after = _cross_fit_like(encoder, X, y)
    assert after[7] == pytest.approx(before[7])
    assert np.abs(after - before).max() > 1e3  # its neighbours do


def _cross_fit_like(encoder, X, y):
    """Encode again by the same groups and folds."""
    from sklearn.model_selection import KFold

    random = np.random.RandomState(0)
    random.permutation(len(X))
    folds = KFold(5, shuffle=True, random_state=random.randint(2**31 - 1))
    points = encoder.scaling_.apply(X)[:, encoder.groups_[0]]
    return _cross_fit(points, y[:, None], folds, encoder.n_neighbours)[:, 0]


@pytest.mark.parametrize(
    "wrong", [{"n_neighbours": 0}, {"max_groups": -1}, {"least_agreement": "x"}]
)
def test_wrong_parameters_are_named(wrong):
    X, y = map_of_houses(100)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NeighbourEncoder(**wrong).fit(X, y)


def test_only_the_first_columns_are_looked_at_where_that_is_asked():
    X, y = map_of_houses()
    assert NeighbourEncoder(n_columns=3, random_state=0).fit(X, y).groups_ == []
    assert NeighbourEncoder(n_columns=4, random_state=0).fit(X, y).groups_ == [(1, 3)]


def test_targets_of_categories_are_no_place():
    X, y = map_of_houses(1200)
    words = [f"w{i}" for i in np.random.default_rng(1).integers(40, size=1200)]
    table = pd.DataFrame(X, columns=["size", "west", "age", "north"]).assign(word=words)
    small = {"one": {"n_components": 64, "max_epochs": 5}}
    model = AutoSpectralKernelRegressor(
        time_budget=None, portfolio=small, max_members=1, random_state=0
    ).fit(table, y)
    assert model.table_.n_target_columns_ == 1
    assert model.neighbours_.n_columns == 4
    assert model.neighbours_.groups_ == [(1, 3)]
    assert model.score(table, y) > 0.7


def test_columns_are_named():
    X, y = map_of_houses()
    table = pd.DataFrame(X, columns=["size", "west", "age", "north"])
    encoder = NeighbourEncoder(random_state=0).fit(table, y)
    assert encoder.get_feature_names_out()[-1] == "target near west, north"
    both = NeighbourEncoder(random_state=0).fit(table, np.stack([y, -y], axis=1))
    assert list(both.get_feature_names_out()[4:]) == [
        "target 0 near west, north",
        "target 1 near west, north",
    ]
    assert both.transform(table).shape == (len(X), 6)


def test_of_very_many_columns_the_telling_ones_are_looked_at():
    X, y = map_of_houses(3000)
    wide = np.hstack([np.random.default_rng(1).normal(size=(3000, 26)), X])
    encoder = NeighbourEncoder(random_state=0, least_agreement=0.02).fit(wide, y)
    assert set(encoder.groups_) <= {(27, 29)}


@pytest.mark.parametrize("kind", [AutoSpectralKernelClassifier, AutoSpectralKernelRegressor])
def test_automatic_models_use_it_and_keep_it(kind, tmp_path):
    X, y = map_of_houses(2000)
    if kind is AutoSpectralKernelClassifier:
        y = np.where(y > np.median(y), "dear", "cheap")
    small = {"one": {"n_components": 64, "max_epochs": 5}}
    model = kind(time_budget=None, portfolio=small, max_members=1, random_state=0)
    model.fit(X[:1500], y[:1500])
    assert model.neighbours_.groups_ == [(1, 3)]
    hasty = within(kind, 5.0, portfolio=small)
    hasty.fit(X[:1500], y[:1500])
    assert hasty.neighbours_ is None
    assert model.score(X[1500:], y[1500:]) > hasty.score(X[1500:], y[1500:]) + 0.05
    loaded = load(model.save(tmp_path / "model.askl"))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_source_columns_are_those_that_change_the_output():
    X, y = map_of_houses()
    encoder = NeighbourEncoder(random_state=0).fit(X, y)
    assert encoder.groups_
    before = encoder.transform(X)
    random, changed = np.random.default_rng(0), []
    for column in range(X.shape[1]):
        other = X.copy()
        other[:, column] = random.permutation(other[:, column])
        changed.append((encoder.transform(other) != before).any(axis=0))
    expected = [tuple(np.flatnonzero(column)) for column in np.transpose(changed)]
    assert encoder.source_columns() == expected
