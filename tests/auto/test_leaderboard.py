"""The table of what was tried."""

from __future__ import annotations

import math

from askl.auto.candidates import CandidateKey
from askl.auto.execution.trial import Trial
from askl.auto.leaderboard import make_leaderboard
from askl.auto.search import SearchResult
from tests.auto.cases import trial

COLUMNS = [
    "candidate",
    "short",
    "symmetric",
    "weight",
    "held_out_error",
    "folds",
    "seconds",
    "estimated_seconds",
    "failure",
    "parameters",
]
A, B, C = (CandidateKey(name) for name in "abc")


def rows_of(board):
    assert list(board) == COLUMNS
    return [dict(zip(board, row, strict=True)) for row in zip(*board.values(), strict=True)]


def parameters_of(*keys):
    return {key: {"max_epochs": 2 if key.short else 8} for key in keys}


def test_the_heaviest_come_first_and_what_was_not_tried_is_left_out():
    trials = {
        A: [trial(A, 1.0)._replace(estimated_seconds=0.5), trial(A, 3.0)],
        B.shortened: [trial(B.shortened, 0.5)],
    }
    result = SearchResult({A: 0.25, B.shortened: 0.75}, None, {}, trials)
    heaviest, other = rows_of(
        make_leaderboard(result, parameters_of(A, A.shortened, B.shortened, C))
    )
    assert heaviest["candidate"] == "b"
    assert heaviest["short"] is True
    assert heaviest["parameters"] == {"max_epochs": 2}
    assert (other["weight"], other["held_out_error"], other["folds"]) == (0.25, 2.0, 2)
    assert (other["seconds"], other["estimated_seconds"]) == (2.0, 0.5)


def test_a_trial_on_some_rows_counts_for_no_fold():
    result = SearchResult({}, None, {A: trial(A, 1.5)}, {})
    (row,) = rows_of(make_leaderboard(result, parameters_of(A, A.shortened)))
    assert (row["short"], row["folds"], row["held_out_error"]) == (True, 0, 1.5)


def test_a_failure_is_shown():
    failed = Trial(A.shortened, None, math.inf, 0.1, "ValueError: no")
    result = SearchResult({}, None, {A: failed}, {A.shortened: [failed]})
    (row,) = rows_of(make_leaderboard(result, parameters_of(A, A.shortened)))
    assert row["failure"] == "ValueError: no"


def test_of_a_model_without_a_search_there_is_its_one_candidate():
    symmetric = A._replace(symmetric=True)
    result = SearchResult({symmetric: 1.0}, None, {}, {})
    (row,) = rows_of(make_leaderboard(result, parameters_of(symmetric)))
    assert (row["candidate"], row["symmetric"], row["weight"], row["folds"]) == ("a", True, 1.0, 0)
    assert math.isnan(row["held_out_error"])
