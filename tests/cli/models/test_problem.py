"""What a table asks for: the task, and targets that no model can learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from askl.cli.console import Screen
from askl.cli.models.problem import Problem, Task, as_targets, check_target, read_problem
from askl.errors import TableError


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "".join(f"{n},x,{n % 3}\n" for n in range(30)))
    return path


def test_the_target_decides_the_task_unless_it_is_named(table, capsys):
    found = read_problem(Screen(), table, "y", None)
    assert (found.task, found.target, found.X.shape) == (Task.classification, "y", (30, 2))
    assert "Classification of 30 rows, 2 inputs, 3 classes (chosen by the target" in (
        " ".join(capsys.readouterr().err.split())
    )
    named = read_problem(Screen(quiet=True), table, "y", Task.regression)
    assert (named.regression, named.y.dtype) == (True, np.float64)


@pytest.mark.parametrize(
    ("X", "numeric"),
    [
        (np.zeros((2, 2)), True),
        (csr_matrix((2, 2)), True),
        (pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}), True),
        (pd.DataFrame({"a": [1.0, None]}), False),
        (pd.DataFrame({"a": ["x", "y"]}), False),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"])}), False),
    ],
)
def test_numbers_without_gaps_need_no_encoder(X, numeric):
    assert Problem(X, np.zeros(2), True, None).is_numeric is numeric


def test_labels_of_objects_become_text():
    labels = check_target(np.array(["a", "b"], dtype=object), "y")
    assert labels.dtype.kind == "U"
    assert as_targets(np.array([True, False]), "y", True).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "no target 'y'"),
        (np.array([1.0]), "one row only"),
        (np.array([1.0, np.nan, np.nan]), "missing in 2 of 3 rows, first in row 2"),
        (np.array(["a", None], dtype=object), "missing in 1 of 2 rows"),
    ],
)
def test_targets_with_gaps_or_of_one_row_are_refused(y, words):
    with pytest.raises(TableError, match=words):
        check_target(y, "y")


@pytest.mark.parametrize(
    ("y", "regression", "words"),
    [
        (np.array(["a", "b"]), True, r"holds text such as 'a'.*--task classification"),
        (np.array(["a", "a"]), False, "one class only, 'a'"),
        (np.array([f"name {n}" for n in range(200)]), False, "200 classes in 200 rows"),
    ],
)
def test_targets_of_another_task_are_refused(y, regression, words):
    with pytest.raises(TableError, match=words):
        as_targets(y, "y", regression)
