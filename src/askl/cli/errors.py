"""The group of commands: every error becomes a message and an exit code."""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperGroup

from askl.cli.wording import first_line

FAILED = 1
INTERRUPTED = 130  # what shells expect after SIGINT
DEBUG = "ASKL_DEBUG"


class Commands(TyperGroup):
    """Commands that exit with 0, with 1 after an error, or with 2 after wrong usage."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and print an error on stderr with its remedy."""
        try:
            return super().invoke(ctx)
        except (typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            typer.echo("Interrupted. No unfinished file was kept.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Typer's own errors, of wrong usage and of leaving, have exit codes.
            if hasattr(error, "exit_code") or os.environ.get(DEBUG):
                raise
            typer.echo(f"Error: {_explain(error)}", err=True)
            raise typer.Exit(FAILED) from None


def _explain(error: Exception) -> str:
    """Return the message of an error; of unexpected ones also how to see the traceback."""
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror}{place}. Check the path, its permissions and the free space."
    if isinstance(error, MemoryError):
        return "There is not enough memory. Use fewer rows or columns, or smaller n_components."
    if isinstance(error, ValueError | ImportError):
        return " ".join(str(error).split()) or type(error).__name__
    return f"{type(error).__name__}: {first_line(error)} Set {DEBUG}=1 to see the traceback."
