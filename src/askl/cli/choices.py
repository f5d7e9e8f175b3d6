"""Options whose choices are the rows of a table, looked up when a command runs."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, TypeAlias

import typer

from askl.learning import METHODS

AUTO = "auto"


def method_names() -> list[str]:
    """Return what can be fitted: the automatic models, and every row of the methods' table."""
    return [AUTO, *reversed(METHODS)]


def check_method(name: str) -> str:
    """Return the name of a method, or raise and list those that there are."""
    names = method_names()
    if name not in names:
        close = get_close_matches(name, names, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise typer.BadParameter(f"{name!r} is none of {', '.join(names)}.{hint}")
    return name


def method_option(help_text: str) -> typer.models.OptionInfo:
    """Make the option --method with a help text of its own."""
    option: typer.models.OptionInfo = typer.Option(
        callback=check_method, help=help_text, metavar=f"[{'|'.join(method_names())}]"
    )
    return option


FittedMethod: TypeAlias = Annotated[str, method_option("What to fit. auto tries many models.")]
TunedMethod: TypeAlias = Annotated[str, method_option("What to tune, not auto.")]
