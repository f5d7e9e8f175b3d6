"""Columns of Arrow tables as models take them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from askl.cli.tabular.columns import (
    as_kind,
    check_unique,
    is_missing,
    kind_of,
    no_column,
    to_labels,
)
from askl.errors import TableError


@pytest.mark.parametrize(
    ("data_type", "kind"),
    [
        (pa.int8(), "number"),
        (pa.float32(), "number"),
        (pa.bool_(), "number"),
        (pa.decimal128(5, 2), "number"),
        (pa.null(), "number"),
        (pa.large_string(), "text"),
        (pa.dictionary(pa.int8(), pa.string()), "text"),
        (pa.date32(), "time"),
        (pa.timestamp("s", tz="UTC"), "time"),
        (pa.list_(pa.int8()), None),
        (pa.binary(), None),
    ],
)
def test_arrow_types_are_of_a_kind(data_type, kind):
    assert kind_of(data_type) == kind


def test_booleans_stay_labels_and_become_numbers_or_text():
    column = pa.array([True, None, False])
    assert as_kind(column, "a", "label").to_pylist() == [True, None, False]
    assert as_kind(column, "a", "number").to_pylist() == [1.0, None, 0.0]
    assert as_kind(column, "a", "text").to_pylist() == ["true", None, "false"]


def test_values_that_do_not_fit_are_shown():
    with pytest.raises(TableError, match=r"Column 'a' should hold a number.*'x'"):
        as_kind(pa.array(["1", "x"]), "a", "number")
    with pytest.raises(TableError, match=r"holds binary.*Save the file as UTF-8"):
        as_kind(pa.array([b"x"]), "a", "any")


def test_missing_targets_are_found_in_all_types():
    assert is_missing(to_labels(pa.array([1.0, None]), "y")).tolist() == [False, True]
    assert is_missing(to_labels(pa.array(["a", None]), "y")).tolist() == [False, True]
    assert is_missing(np.array([1, 2])).tolist() == [False, False]
    with pytest.raises(TableError, match="holds dates"):
        to_labels(pa.array([0], pa.date32()), "y")


def test_names_that_are_wanted_twice_are_refused():
    check_unique(["a", "b", "b"], ["a"], "t.csv")
    with pytest.raises(TableError, match="more than one column 'b'"):
        check_unique(["a", "b", "b"], ["a", "b"], "t.csv")


@pytest.mark.parametrize(
    ("name", "names", "words"),
    [
        ("price", ["prise", "size"], "Close names: 'prise'."),
        (" Price ", ["price"], "Close names: 'price'."),
        ("y", [f"column {n}" for n in range(12)], "'column 9' and 2 more."),
        ("y", ["1.5", "2"], "Is the first line missing"),
    ],
)
def test_a_missing_column_is_named_with_those_like_it(name, names, words):
    assert words in str(no_column(name, names, "t.csv"))
