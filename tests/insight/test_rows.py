"""Rows of arrays, sparse matrices and data frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from askl.insight.rows import columns_of, dense, like_fitted, some_rows, take_rows
from tests.models import classifier

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix, pd.DataFrame, pl.DataFrame])
def test_rows_of_all_kinds_are_taken_in_the_given_order(kind):
    taken = take_rows(kind(X), np.array([3, 0]))
    np.testing.assert_array_equal(dense(taken), X[[3, 0]])
    np.testing.assert_array_equal(np.stack(columns_of(taken), axis=1), X[[3, 0]])


def test_a_few_rows_are_all_taken_and_of_many_a_repeatable_sample():
    assert some_rows(5, 5).tolist() == [0, 1, 2, 3, 4]
    chosen = some_rows(1000, 30)
    assert len(set(chosen.tolist())) == 30
    assert chosen.tolist() == sorted(chosen) == some_rows(1000, 30).tolist()
    assert chosen[-1] > 800  # not the first ones


@pytest.mark.parametrize(
    ("column", "contents"),
    [(["x", "y"], "text or categories"), (pd.to_datetime(["2020-01-01"] * 2), "dates")],
)
def test_a_column_that_holds_no_numbers_is_named(column, contents):
    table = pd.DataFrame({"a": [1.0, 2.0], "what": column})
    with pytest.raises(ValueError, match=f"column 'what' holds {contents}") as caught:
        dense(table)
    assert "model.encode_inputs(X)" in str(caught.value)


def test_booleans_and_gaps_are_numbers():
    table = pd.DataFrame({"a": [True, False], "b": [np.nan, 1.5]})
    np.testing.assert_array_equal(dense(table), [[1.0, np.nan], [0.0, 1.5]])


def test_rows_get_the_names_of_the_fit(classes):
    rows, y = classes
    named = classifier(max_epochs=1).fit(pd.DataFrame(rows, columns=list("abc")), y)
    assert list(like_fitted(named, rows[:2]).columns) == ["a", "b", "c"]
    plain = classifier(max_epochs=1).fit(rows, y)
    assert like_fitted(plain, rows) is rows
