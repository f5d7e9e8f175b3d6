"""The group of commands: every error becomes a sentence and an exit code."""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperGroup

from askl.cli.tabular.columns import first_line

FAILED = 1
INTERRUPTED = 130  # what shells expect after SIGINT
DEBUG = "ASKL_DEBUG"


class Commands(TyperGroup):
    """Commands that end in 0, in 1 after an error the user can mend, or in 2 after misuse."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it raises is told on stderr, in a sentence and its remedy."""
        try:
            return super().invoke(ctx)
        except (typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            typer.echo("Interrupted. No output was written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Typer's own errors, of usage and of leaving, know their exit code.
            if hasattr(error, "exit_code") or os.environ.get(DEBUG):
                raise
            typer.echo(f"Error: {_explain(error)}", err=True)
            raise typer.Exit(FAILED) from None


def _explain(error: Exception) -> str:
    """Say in words what went wrong; what nobody foresaw, with how to see more of it."""
    if isinstance(error, OSError) and error.strerror:
        place = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror}{place}. Check the path, its permissions and the free space."
    if isinstance(error, MemoryError):
        return "The memory is not enough. Use fewer rows or columns, or a smaller n_components."
    if isinstance(error, ValueError | ImportError):
        return " ".join(str(error).split()) or type(error).__name__
    return f"{type(error).__name__}: {first_line(error)} Set {DEBUG}=1 to see where."
