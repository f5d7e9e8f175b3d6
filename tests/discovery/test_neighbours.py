"""Mean targets of neighbours: the groups found, what they gain, and no row sees its own target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor, NeighbourEncoder, load
from askl.discovery.neighbour_means import merge_rows, neighbour_means
from askl.discovery.neighbours import N_FOLDS
from tests.auto.cases import within
from tests.discovery.sources import changed_by
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


def test_the_pair_is_found_and_improves_predictions():
    X, y = map_of_houses(3000)
    encoder = NeighbourEncoder(random_state=0).fit(X[:2000], y[:2000])
    assert encoder.groups_ == [(1, 3)]
    plain = regressor().fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    both = make_pipeline(NeighbourEncoder(random_state=0), regressor()).fit(X[:2000], y[:2000])
    assert both.score(X[2000:], y[2000:]) > plain + 0.1


def test_in_noise_and_smooth_functions_no_group_is_found():
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 6))
    for y in (random.normal(size=1000), X[:, 0] * X[:, 1] + X[:, 2]):
        encoder = NeighbourEncoder(random_state=0)
        np.testing.assert_array_equal(encoder.fit_transform(X, y), X)
        assert encoder.groups_ == []


def test_one_steep_column_is_taken_alone_and_improves_predictions():
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
    folds = KFold(N_FOLDS, shuffle=True, random_state=encoder_seed(len(X)))
    fold = next(rows for _, rows in folds.split(X) if 7 in rows)
    points = encoder.scaling_.apply(X)[:, encoder.groups_[0]]
    others = np.setdiff1d(np.arange(len(X)), fold)
    known = merge_rows(points[others], y[others, None])
    expected = neighbour_means(points[fold], known, encoder.n_neighbours)[:, 0]
    np.testing.assert_array_equal(before[fold], expected)


def encoder_seed(n_rows):
    """The seed of the folds, which is drawn after the rows by which groups are chosen."""
    random = np.random.RandomState(0)
    random.permutation(n_rows)
    return random.randint(2**31 - 1)


@pytest.mark.parametrize(
    "wrong", [{"n_neighbours": 0}, {"max_groups": -1}, {"least_agreement": "x"}]
)
def test_wrong_parameters_are_named(wrong):
    X, y = map_of_houses(100)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NeighbourEncoder(**wrong).fit(X, y)


def test_only_the_first_columns_may_be_in_a_group():
    X, y = map_of_houses()
    assert NeighbourEncoder(n_columns=3, random_state=0).fit(X, y).groups_ == []
    assert NeighbourEncoder(n_columns=4, random_state=0).fit(X, y).groups_ == [(1, 3)]


def test_mean_targets_of_categories_are_in_no_group():
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


def test_of_very_many_columns_the_best_are_paired():
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
    assert encoder.source_columns() == changed_by(encoder, X)
