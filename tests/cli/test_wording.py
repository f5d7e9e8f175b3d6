"""Messages of other libraries, cut to a line."""

from __future__ import annotations

import pytest

from askl.cli.wording import MOST_CHARACTERS, first_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo", "one."),
        ("  spaces around  ", "spaces around."),
        ("ends with a stop.", "ends with a stop."),
        ("", "ValueError."),
    ],
)
def test_the_first_line_is_a_sentence(text, expected):
    assert first_line(ValueError(text)) == expected


def test_long_lines_are_cut():
    line = first_line(ValueError("x" * 5000))
    assert line == "x" * MOST_CHARACTERS + "..."
