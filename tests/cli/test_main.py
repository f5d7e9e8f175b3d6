"""The commands that there are, and their help."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "command",
    [
        "fit",
        "predict",
        "evaluate",
        "compare",
        "tune",
        "report",
        "inspect",
        "export",
        "datasets fetch",
    ],
)
def test_every_command_has_examples_in_its_help(run, command):
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"askl {command}" in result.stdout


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "askl", "--help"], capture_output=True, text=True, check=True
    )
    assert "compare" in done.stdout
