"""Progress: a line for each item if the output is not a terminal."""

from __future__ import annotations

import pytest

from studies.progress import show_progress


def test_each_item_is_a_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("fits", 2, 10.0) as advance:
        advance("[first] 98.50 %", 9.0)
        advance("second " + 300 * "x", 1.0)
    shown = capsys.readouterr()
    first, second = shown.err.splitlines()
    assert first.startswith("fits 1/2, 0:00:0")
    assert first.endswith(" left: [first] 98.50 %")
    assert second.startswith("fits 2/2, 0:00:00 left: second xxx")
    assert shown.out == ""
