"""Rows as users give them: what is accepted, and what is said of the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator

from askl import TableEncoder
from askl.auto.inputs import check_rows, check_training_rows, encode, name_columns, trace_columns

FRAME = pd.DataFrame({"size": [1.0, np.nan, 3.0], "color": ["red", "blue", "red"]})
Y = np.array([0.0, 1.0, 2.0])


def checked(X, y=Y, sample_weight=None):
    model = BaseEstimator()
    return model, check_training_rows(model, X, y, sample_weight)


def test_frames_and_objects_stay_as_they_are():
    model, (X, weights) = checked(FRAME)
    assert X is FRAME
    assert weights is None
    assert model.feature_names_in_.tolist() == ["size", "color"]
    _, (rows, _) = checked(FRAME.to_numpy().tolist())
    assert rows.dtype == object


def test_sparse_rows_stay_sparse_and_gaps_stay_gaps():
    assert issparse(checked(csr_matrix(np.eye(3)))[1][0])
    assert np.isnan(checked(np.array([[1.0], [np.nan], [2.0]]))[1][0]).any()


def test_rows_and_targets_must_be_as_many():
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2"):
        checked(FRAME, Y[:2])


def test_weights_are_not_negative():
    assert checked(FRAME, Y, [1.0, 2.0, 0.0])[1][1].tolist() == [1.0, 2.0, 0.0]
    with pytest.raises(ValueError, match="Negative"):
        checked(FRAME, Y, [1.0, -1.0, 1.0])


def test_new_rows_have_the_columns_of_the_fit():
    model, _ = checked(np.eye(3))
    np.testing.assert_array_equal(check_rows(model, np.eye(3), has_table=False), np.eye(3))
    with pytest.raises(ValueError, match="features"):
        check_rows(model, np.eye(2), has_table=False)
    with pytest.raises(ValueError, match="NaN"):
        check_rows(model, np.full((2, 3), np.nan), has_table=False)
    assert np.isnan(check_rows(model, np.full((2, 3), np.nan), has_table=True)).all()


def test_a_frame_of_numbers_becomes_an_array_where_no_table_encoder_takes_it():
    numbers = FRAME[["size"]].fillna(0.0)
    model, _ = checked(numbers)
    assert isinstance(check_rows(model, numbers, has_table=False), np.ndarray)
    assert check_rows(model, numbers, has_table=True) is numbers


class Doubled:
    """Appends twice every column."""

    def transform(self, X):
        return np.hstack([X, 2.0 * X])

    def get_feature_names_out(self, names=None):
        return np.array([*names, *(f"twice {name}" for name in names)], dtype=object)

    def source_columns(self):
        return [(0,), (1,), (2,), (3,), (0,), (1,), (2,), (3,)]


def test_encoders_follow_each_other():
    table = TableEncoder().fit(FRAME)
    encoders = [table, Doubled()]
    np.testing.assert_array_equal(encode(encoders, FRAME)[:, :4], table.transform(FRAME))
    names = name_columns(encoders, np.array(["size", "color"], dtype=object)).tolist()
    assert names[-1] == "twice color_red"
    assert trace_columns(encoders, 2) == [(0,), (0,), (1,), (1,)] * 2
    assert encode([], Y) is Y
    assert trace_columns([], 2) == [(0,), (1,)]
