"""The progress bar."""

from __future__ import annotations

import pytest

from askl.auto.execution.budget import Budget
from askl.auto.execution.progress import show_trainings


@pytest.mark.parametrize("total", [60.0, None])
def test_it_shows_what_was_trained_and_what_is_left(total, capsys):
    budget = Budget(total, estimated=True)
    with show_trainings("Auto", budget) as advance:
        budget.begin(30.0)
        budget.end(30.0, 60.0)
        advance("dense: 0.1")
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert "1 trained" in text
    assert ("of about 120 s" in text) == (total is not None)  # at half the speed
