"""Where commands print: notes on stderr, results on stdout, JSON where it is asked for."""

from __future__ import annotations

import json
import math
import warnings
from contextlib import suppress

import numpy as np
import pytest
import rich

from askl.cli.console import Screen, bars_on_stderr, plain


def test_notes_go_to_stderr_and_results_to_stdout(capsys):
    screen = Screen()
    screen.note("a note about [brackets]")
    screen.result({"n": 1}, "a result")
    out, err = capsys.readouterr()
    assert out == "a result\n"
    assert err == "a note about [brackets]\n"


def test_json_replaces_the_lines_and_quiet_silences_all_else(capsys):
    screen = Screen(as_json=True, quiet=True)
    screen.note("a note")
    screen.result({"n": np.int64(1), "loss": math.inf}, "a result")
    out, err = capsys.readouterr()
    assert json.loads(out) == {"n": 1, "loss": None}
    assert err == ""


def test_warnings_are_shown_once_and_returned(capsys):
    with Screen().warnings() as texts:
        for _ in range(2):
            warnings.warn("take care", UserWarning, stacklevel=1)
    assert texts == ["take care"]
    assert capsys.readouterr().err == "Warning: take care\n"


def test_bars_go_to_stderr_only_inside_the_block():
    with suppress(RuntimeError), bars_on_stderr():
        assert rich.get_console().stderr
        raise RuntimeError
    assert not rich.get_console().stderr


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: (np.float32(0.5), None)}, {"1": [0.5, None]}),
        (np.array([[1, 2]]), [[1, 2]]),
        (float("nan"), None),
        (True, True),
        (complex(1, 2), "(1+2j)"),
    ],
)
def test_values_become_those_of_json(value, expected):
    assert plain(value) == expected
