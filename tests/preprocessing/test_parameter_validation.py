from __future__ import annotations

import re
from typing import ClassVar

import numpy as np
import pytest

from askl.preprocessing.parameter_validation import (
    AUTO,
    BOOLEAN,
    CALLABLE,
    INTEGERS,
    NONE,
    ORDERS,
    check_parameters,
    integer,
    one_of,
    real,
)


@pytest.mark.parametrize(
    ("constraint", "right", "wrong", "words"),
    [
        (integer(2), [2, np.int8(5)], [1, 2.0, True, "2", None], "an integer of at least 2"),
        (real(0.0), [0, 0.5, np.float32(1)], [-1e-9, np.inf, np.nan, False], "of at least 0"),
        (real(0.0, 1.0, above=True), [0.5], [0.0, 1.0, 2], "above 0 and below 1"),
        (one_of(["b", "a"]), ["a", "b"], ["c", 1, None], r"one of \['a', 'b'\]"),
        (NONE | AUTO, [None, "auto"], ["none", 0], "None or 'auto'"),
        (BOOLEAN, [True, False], [0, None, np.bool_(True)], "a boolean"),
        (CALLABLE, [print], ["print", None], "a callable"),
        (ORDERS, [(), [(1, 0)]], [(1, 0), [(0.5,)], "01"], "a tuple of orders of the columns"),
        (INTEGERS, [(), (1, 2), [3]], [(0,), (1.5,), 3, (True,)], "a tuple of positive integers"),
    ],
)
def test_constraints_accept_what_they_describe(constraint, right, wrong, words):
    assert re.search(words, constraint.description)
    assert all(constraint.accepts(value) for value in right)
    assert not any(constraint.accepts(value) for value in wrong)


class Owner:
    constraints: ClassVar = {"size": integer(1), "name": NONE | one_of(["a"])}

    def __init__(self, size, name):
        self.size, self.name = size, name


def test_the_first_parameter_that_is_wrong_is_named():
    check_parameters(Owner(1, None), Owner.constraints)
    with pytest.raises(ValueError, match=r"'size' parameter of Owner must be .* 1\. Got 0 instead"):
        check_parameters(Owner(0, "b"), Owner.constraints)
    with pytest.raises(ValueError, match=r"'name' .* None or one of \['a'\]\. Got 'b' instead"):
        check_parameters(Owner(1, "b"), Owner.constraints)


def test_names_of_a_table_may_be_added_later():
    table = {"a": 1}
    constraint = one_of(table)
    assert not constraint.accepts("b")
    table["b"] = 2
    assert constraint.accepts("b")
    assert "'b'" in constraint.description
