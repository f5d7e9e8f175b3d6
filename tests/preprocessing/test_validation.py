from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator

from askl.preprocessing.validation import drop_zero_weights, is_regression, validate_numbers


class Estimator(BaseEstimator):
    pass


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([0.5, 1.5, 2.5], True),
        (np.ones((3, 2)) / 3.0, True),
        (["a", "b", "a"], False),
        ([True, False, True], False),
        ([0, 1, 2], False),
        (np.arange(20.0), False),
        (np.arange(21.0), True),
        (np.arange(100), False),
        (np.arange(101), True),
    ],
)
def test_the_targets_decide_between_numbers_and_labels(targets, expected):
    assert is_regression(targets) is expected


def test_numbers_in_any_container_are_returned_as_arrays():
    X = [[1.0, 2.0], [3.0, 4.0]]
    for given in (X, np.array(X), pd.DataFrame(X), pd.DataFrame(X).astype("category")):
        checked, y = validate_numbers(Estimator(), given, [0, 1])
        np.testing.assert_array_equal(checked, X)
        assert checked.dtype == np.float64
        assert y.tolist() == [0, 1]
    sparse = validate_numbers(Estimator(), csr_matrix(X).tocoo())
    assert sparse.format == "csr"


@pytest.mark.parametrize(
    ("X", "reason"),
    [
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), "Column 'b' of X holds text or categories"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-31"])}), "Column 'a' of X holds dates"),
        (np.array([[1.0, "x"]], dtype=object), "could not convert string to float: 'x'"),
        ([[1.0, "x"]], "X holds text"),
        ([[np.nan]], "Input X contains NaN"),
    ],
)
def test_what_is_no_number_is_named_and_what_takes_it(X, reason):
    with pytest.raises(ValueError, match=rf"{reason}\. Estimator takes numbers only; make_table"):
        validate_numbers(Estimator(), X)


def test_other_errors_are_those_of_scikit_learn():
    with pytest.raises(ValueError, match=r"^Input X contains infinity"):
        validate_numbers(Estimator(), [[np.inf]])
    with pytest.raises(ValueError, match=r"^X holds values of type timedelta64"):
        validate_numbers(Estimator(), pd.DataFrame({"a": pd.to_timedelta([1, 2], "s")}))
    with pytest.raises(ValueError, match=r"^Found input variables with inconsistent numbers"):
        validate_numbers(Estimator(), [[1.0], [2.0]], [1])


def test_rows_of_weight_zero_are_left_out():
    X, y = np.arange(6.0).reshape(3, 2), np.array([1, 2, 3])
    kept, targets, weights = drop_zero_weights(X, y, np.array([0.5, 0.0, 2.0]))
    assert (kept.tolist(), targets.tolist()) == ([[0.0, 1.0], [4.0, 5.0]], [1, 3])
    assert weights.tolist() == [0.5, 2.0]
    assert drop_zero_weights(X, y, np.ones(3))[0] is X
    assert drop_zero_weights(X, y, None) == (X, y, None)
    with pytest.raises(ValueError, match="All sample weights are zero"):
        drop_zero_weights(X, y, np.zeros(3))
