from __future__ import annotations

import pytest

from askl.learning import HEAD_NORMS, METHODS

# Table 1 of the paper: non-stationary, learned, ‖W‖_* instead of ‖W‖_F², ‖φ(X)‖_F².
TABLE = {
    "sk": (False, False, False, False),
    "nsk": (True, False, False, False),
    "skl": (False, True, False, False),
    "nskl": (True, True, False, False),
    "askl": (True, True, True, True),
}


def test_there_are_the_five_methods_of_the_paper():
    assert METHODS.keys() >= TABLE.keys()


@pytest.mark.parametrize("name", METHODS)
def test_a_row_names_a_head_norm_and_penalties(name):
    row = METHODS[name]
    assert row.n_branches >= 1
    assert row.head_norm in HEAD_NORMS
    assert row.head_penalty >= 0.0
    assert row.feature_penalty >= 0.0


@pytest.mark.parametrize("name", TABLE)
def test_a_row_is_the_paper_s_row(name):
    row = METHODS[name]
    non_stationary, learned, trace_norm, feature_penalty = TABLE[name]
    assert row.n_branches == 1 + non_stationary
    assert row.learn_frequencies == learned
    assert row.head_norm == ("trace" if trace_norm else "frobenius")
    assert row.head_norm in HEAD_NORMS
    assert row.head_penalty > 0.0
    assert (row.feature_penalty > 0.0) == feature_penalty
