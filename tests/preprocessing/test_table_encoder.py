"""Tables to numbers: every kind of column, missing values, and values never seen."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from askl import TableEncoder
from askl.errors import TableError
from askl.preprocessing.column_types import MISSING


def test_numbers_beside_text_in_a_list_stay_numbers():
    encoder = TableEncoder()
    rows = [[1.5, "red"], [None, "blue"], [2.5, "red"]]
    expected = [[1.5, 0.0, 0.0, 1.0], [2.0, 1.0, 1.0, 0.0], [2.5, 0.0, 0.0, 1.0]]
    np.testing.assert_array_equal(encoder.fit_transform(rows), expected)
    assert encoder.kinds_ == ["number", "category"]
    np.testing.assert_array_equal(encoder.transform(rows), expected)


def test_a_category_stays_one_where_all_of_it_looks_like_dates_or_numbers():
    table = pd.DataFrame({"seen": ["2020-01-31", "never"], "code": ["7", "x"]})
    encoder = TableEncoder().fit(table)
    encoded = encoder.transform(pd.DataFrame({"seen": ["2020-01-31"], "code": [7.0]}))
    np.testing.assert_array_equal(encoded, [[1.0, 0.0, 1.0, 0.0]])


def test_numbers_held_as_a_category_are_one():
    codes = pd.DataFrame({"code": pd.Categorical([7, 1, 7, None])})
    encoder = TableEncoder().fit(codes)
    assert encoder.get_feature_names_out().tolist() == ["code_1", "code_7", f"code_{MISSING}"]
    # The same whether or not they come with missing ones, and however they are held.
    for values in ([7, 1], pd.Categorical([7, 1]), [7.0, 1.0], ["7", "1"]):
        encoded = encoder.transform(pd.DataFrame({"code": values}))
        np.testing.assert_array_equal(encoded, [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    ordered = pd.Categorical([1, 3, 2], ordered=True)
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(pd.DataFrame({"grade": ordered})), [[1.0], [3.0], [2.0]]
    )


def test_numbers_that_pyarrow_holds_as_a_dictionary_are_a_category():
    codes = pa.table({"code": pa.array([7, 1, 7]).dictionary_encode()})
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(codes), [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    )


def test_an_unknown_category_is_none_of_the_known_ones():
    table = pd.DataFrame({"word": ["a", "b", "a"]})
    encoder = TableEncoder().fit(table)
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"word": ["c"]})), [[0.0, 0.0]])


def test_many_categories_are_target_encoded_without_a_leak():
    random = np.random.default_rng(0)
    words = pd.DataFrame({"word": [f"w{i}" for i in range(300)]})
    noise = random.normal(size=300)
    encoded = TableEncoder().fit_transform(words, noise)
    # Every word occurs once: any correlation would be a leak.
    assert abs(np.corrcoef(encoded[:, 0], noise)[0, 1]) < 0.2
    groups = pd.DataFrame({"word": random.choice([f"w{i}" for i in range(30)], 3000)})
    signal = groups["word"].str[1:].astype(float).to_numpy()
    encoded = TableEncoder().fit_transform(groups, signal)
    assert np.corrcoef(encoded[:, 0], signal)[0, 1] > 0.99


def test_many_categories_need_targets():
    table = pd.DataFrame({"word": [f"w{i}" for i in range(30)]})
    with pytest.raises(TableError, match="Give y, or raise one_hot_limit"):
        TableEncoder().fit(table)
    assert TableEncoder(one_hot_limit=30).fit_transform(table).shape == (30, 30)


def test_a_column_of_another_kind_is_named():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    with pytest.raises(TableError, match=r"Column 'a' held a number .* now holds a category"):
        encoder.transform(pd.DataFrame({"a": ["one", "two"], "b": ["x", "y"]}))
    # A column without values has no kind.
    empty = encoder.transform(pd.DataFrame({"a": [None, None], "b": [None, None]}))
    np.testing.assert_array_equal(empty, [[1.5, 0.0, 0.0], [1.5, 0.0, 0.0]])


def test_infinity_complex_numbers_and_emptiness_are_refused():
    with pytest.raises(TableError, match="Column 'a' contains infinity"):
        TableEncoder().fit(pd.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(TableError, match="Column 1 contains infinity"):
        TableEncoder().fit(np.array([[1.0, np.inf]]))
    with pytest.raises(TableError, match="Column 'a' holds complex numbers"):
        TableEncoder().fit(pd.DataFrame({"a": [1.0, 1j]}))
    with pytest.raises(TableError, match="at least one row"):
        TableEncoder().fit(pd.DataFrame({"a": []}))
    with pytest.raises(NotFittedError):
        TableEncoder().transform(pd.DataFrame({"a": [1.0]}))


def test_columns_must_keep_their_names_and_number():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(pd.DataFrame({"a": [1.0], "c": [1.0]}))


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_infinity=False),
    st.text(max_size=5),
    st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(cells, cells), min_size=2, max_size=12))
def test_any_table_is_encoded_to_finite_numbers(rows):
    table = pd.DataFrame(rows, columns=["a", "b"], dtype=object)
    encoder = TableEncoder()
    encoded = encoder.fit_transform(table, np.arange(len(rows), dtype=float))
    assert np.isfinite(encoded).all()
    assert encoder.transform(table).shape == encoded.shape


def test_columns_are_named_and_returned_as_a_table():
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": [1.0, np.nan, *random.normal(size=28)],
            "color": ["red", "blue"] * 15,
            "day": pd.date_range("2020-01-01", periods=30),
            "town": [f"town {i}" for i in range(30)],
        }
    )
    y = random.choice(["a", "b", "c"], 30)
    encoder = TableEncoder().set_output(transform="pandas").fit(table, y)
    found = encoder.transform(table)
    assert list(found) == [
        "size",
        "day_days since 1970",
        "day_day of the year",
        "day_day of the week",
        "missingindicator_size",
        "color_blue",
        "color_red",
        "town_a",
        "town_b",
        "town_c",
    ]
    assert (found["missingindicator_size"] == table["size"].isna()).all()
    assert (found["color_red"] == (table["color"] == "red")).all()
    assert (found["day_day of the week"] == [day.weekday() for day in table["day"]]).all()

    unnamed = TableEncoder().fit(table.to_numpy()[:, :2])
    assert unnamed.get_feature_names_out()[0] == "x0"
    with pytest.raises(ValueError, match="input_features"):
        unnamed.get_feature_names_out(["only one"])


@pytest.mark.parametrize("target", ["number", "class"])
def test_source_columns_are_those_that_change_the_output(target):
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": np.where(random.random(300) < 0.1, np.nan, random.normal(size=300)),
            "word": random.choice(["red", "blue", "green"], size=300),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(random.integers(999, size=300), "D"),
            "place": [f"p{code}" for code in random.integers(40, size=300)],
            "age": random.normal(size=300),
        }
    )
    y = random.normal(size=300) if target == "number" else random.integers(3, size=300)
    encoder = TableEncoder().fit(table, y)
    assert encoder.n_target_columns_ == (1 if target == "number" else 3)
    before, changed = encoder.transform(table), []
    for name in table:
        other = table.assign(**{name: table[name].sample(frac=1.0, random_state=1).to_numpy()})
        changed.append((encoder.transform(other) != before).any(axis=0))
    expected = [tuple(np.flatnonzero(column)) for column in np.transpose(changed)]
    assert encoder.source_columns() == expected
