"""The list of encoders: which are fitted, in which order, and what they do to symmetries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from askl import AutoSpectralKernelRegressor, NeighbourEncoder, SpreadEncoder, TableEncoder, load
from askl.auto.encoders import (
    ENCODERS,
    Discovery,
    discover,
    encode_table,
    extend_symmetries,
    find_encoder,
)
from tests.auto.cases import QUICK, SETTINGS, messy_table, product_of_alike, quick

ALL = Discovery(n_classes=0, seed=0, for_encoders=True, for_symmetries=True)


def checkerboard(n_rows: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(size=(n_rows, 3))
    return X, np.floor(X[:, [0, 2]] * 10).sum(axis=1) % 2 + 0.1 * X[:, 1]


@pytest.mark.parametrize("name", ENCODERS)
def test_every_encoder_of_the_table_keeps_the_protocol(name):
    encoder = find_encoder(name)(n_columns=3, random_state=0)
    methods = ["fit_transform", "transform", "get_feature_names_out", "source_columns"]
    for method in [*methods, *(["extend"] if ENCODERS[name].extends_symmetries else [])]:
        assert callable(getattr(encoder, method))


def test_a_table_of_finite_numbers_needs_no_encoder():
    X, y = product_of_alike()
    table, same, targets, weights = encode_table(X, y, None)
    assert table is None
    assert same is X
    assert targets is y
    assert weights is None


@pytest.mark.parametrize("gap", [np.nan, None])
def test_gaps_and_objects_need_one(gap):
    X = np.array([[1.0, 2.0], [gap, 4.0]], dtype=float if gap is not None else object)
    table, numbers, _, _ = encode_table(X, np.array([0.0, 1.0]), None)
    assert isinstance(table, TableEncoder)
    assert np.isfinite(numbers).all()


def test_rows_of_no_weight_are_dropped():
    X, y = product_of_alike(6)
    weights = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    _, kept, targets, left = encode_table(X, y, weights)
    np.testing.assert_array_equal(kept, X[weights > 0.0])
    np.testing.assert_array_equal(targets, y[weights > 0.0])
    assert left.tolist() == [1.0] * 4


def test_an_encoder_that_finds_something_is_in_the_list_and_its_columns_are_appended():
    X, y = checkerboard()
    encoded = discover(X, y, None, ALL, SETTINGS)
    (encoder,) = encoded.encoders
    assert isinstance(encoder, NeighbourEncoder)
    assert encoded.X.shape[1] == 4
    np.testing.assert_array_equal(encoded.X[:, :3], X)


def test_nothing_is_looked_for_without_time_in_sparse_rows_or_with_very_many_classes():
    X, y = checkerboard()
    for data, plan, settings in (
        (X, ALL._replace(for_encoders=False), SETTINGS),
        (csr_matrix(X), ALL, SETTINGS),
        (X, ALL._replace(n_classes=2), SETTINGS._replace(most_classes_to_discover=1)),
    ):
        targets = (y > 1.0).astype(int) if plan.n_classes else y
        encoded = discover(data, targets, None, plan, settings)
        assert encoded.encoders == []
        assert encoded.X is data


def test_classes_give_a_column_each():
    X, y = checkerboard()
    classes = (y > 0.5).astype(int)
    encoded = discover(X, classes, None, ALL._replace(n_classes=2), SETTINGS)
    assert encoded.X.shape[1] == 3 + 2


def test_columns_that_hold_targets_are_not_looked_at():
    """Mean targets of many-valued categories are cross-fitted: they would leak the target."""
    X, y = checkerboard()
    table = TableEncoder()
    table.n_target_columns_ = 2  # as if the last two of the three columns were such
    (encoder,) = discover(X, y, table, ALL, SETTINGS).encoders[1:] or [None]
    assert encoder is None


def test_symmetries_are_found_before_the_encoders_that_extend_them():
    random = np.random.default_rng(0)
    y = random.integers(2, size=800)
    X = random.normal(size=(800, 1)) + random.normal(size=(800, 6)) * (1.0 + y[:, None])
    plan = ALL._replace(n_classes=2)
    encoded = discover(X, y, None, plan, SETTINGS)
    (encoder,) = encoded.encoders
    assert isinstance(encoder, SpreadEncoder)
    assert encoded.X.shape[1] == 8
    assert len(encoded.symmetries) == 5  # each column with the first; the new ones stay
    assert all(order[6:] == (6, 7) for order in encoded.symmetries)
    assert all(sorted(order) == list(range(8)) for order in encoded.symmetries)
    assert discover(X, y, None, plan._replace(for_symmetries=False), SETTINGS).symmetries == []


def test_of_many_columns_two_that_are_exchangeable_are_too_few():
    X = np.random.default_rng(0).normal(size=(600, 7)) * [1, 1, 4, 16, 64, 256, 1024]
    y = X[:, 0] + X[:, 1]
    plan = ALL._replace(for_encoders=False)
    assert discover(X, y, None, plan, SETTINGS).symmetries == []
    assert discover(X[:, :4], y, None, plan, SETTINGS).symmetries == [(1, 0, 2, 3)]
    patient = SETTINGS._replace(least_symmetric_share=0.1)
    assert len(discover(X, y, None, plan, patient).symmetries) == 1


def test_an_order_that_an_encoder_cannot_keep_is_dropped():
    encoder = SpreadEncoder()
    encoder.groups_ = [(0, 1, 2), (3, 4, 5)]
    kept, lost = (3, 4, 5, 0, 1, 2), (3, 1, 2, 0, 4, 5)
    assert extend_symmetries([kept, lost], [encoder]) == [encoder.extend(kept)]
    assert extend_symmetries([kept, lost], []) == [kept, lost]


def test_the_fitted_list_is_what_new_rows_go_through(tmp_path):
    table, signal = messy_table()
    model = quick(AutoSpectralKernelRegressor).fit(table, signal)
    assert [type(encoder) for encoder in model.encoders_] == [TableEncoder]
    assert model.table_ is model.encoders_[0]
    assert model.neighbours_ is None
    again = load(model.save(tmp_path / "model.askl"))
    np.testing.assert_array_equal(again.encode_inputs(table), model.encode_inputs(table))


def test_encoders_of_the_table_are_kept_in_model_files(tmp_path):
    X, y = checkerboard()
    model = quick(
        AutoSpectralKernelRegressor, portfolio={"one": QUICK["one layer"]}, max_members=1
    ).fit(pd.DataFrame(X, columns=list("abc")), y)
    assert [type(encoder) for encoder in model.encoders_] == [TableEncoder, NeighbourEncoder]
    assert model.encoded_names().tolist() == ["a", "b", "c", "target near a, c"]
    assert model.encoded_sources() == [(0,), (1,), (2,), (0, 2)]
    again = load(model.save(tmp_path / "model.askl"))
    assert again.neighbours_.groups_ == [(0, 2)]
    new = pd.DataFrame(X[:50], columns=list("abc"))
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
