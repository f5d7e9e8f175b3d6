"""Options that several commands share."""

from __future__ import annotations

import pytest

from askl.cli.options import examples


def test_examples_are_lines_of_their_own():
    assert examples("askl a", "askl b") == "Examples:\n\n  askl a\n\n  askl b"


@pytest.mark.parametrize("command", ["fit", "tune", "report", "compare", "predict"])
def test_every_command_can_be_quiet_and_print_json(run, command):
    shown = run(command, "--help").stdout
    for option in ("--json", "--quiet"):
        assert option in shown
