"""Errors of commands: a message and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os

import pytest
import typer
from typer.testing import CliRunner

from askl.cli.errors import Commands
from askl.errors import TableError


def command_that_raises(error: BaseException) -> typer.Typer:
    app = typer.Typer(cls=Commands)

    @app.command()
    def fail() -> None:
        raise error

    @app.command()
    def other() -> None: ...

    return app


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TableError("The table is\n  bad."), "Error: The table is bad."),
        (ValueError(""), "Error: ValueError"),
        (ImportError("No library."), "Error: No library."),
        (MemoryError(), "Error: There is not enough memory. Use fewer rows or columns, or"),
        (
            FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "a.csv"),
            "Error: No such file or directory (a.csv). Check the path, its permissions and",
        ),
        (
            RuntimeError("the first line\nthe second line"),
            "Error: RuntimeError: the first line. Set ASKL_DEBUG=1 to see the traceback.",
        ),
    ],
)
def test_an_error_is_one_message_and_exit_code_one(error, message):
    result = CliRunner().invoke(command_that_raises(error), ["fail"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert len(result.stderr.splitlines()) == 1


def test_an_interrupt_has_its_exit_code_and_promises_only_what_is_true():
    result = CliRunner().invoke(command_that_raises(KeyboardInterrupt()), ["fail"])
    assert result.exit_code == 130
    assert result.stderr == "Interrupted. No unfinished file was kept.\n"


def test_wrong_usage_has_its_exit_code():
    result = CliRunner().invoke(command_that_raises(typer.BadParameter("not that")), ["fail"])
    assert result.exit_code == 2
    assert "not that" in result.stderr


def test_the_traceback_is_shown_where_it_is_asked_for(monkeypatch):
    monkeypatch.setenv("ASKL_DEBUG", "1")
    result = CliRunner().invoke(command_that_raises(TableError("bad")), ["fail"])
    assert isinstance(result.exception, TableError)
