"""Command lines of the studies: what their commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.report import RESULTS

Command = Callable[[argparse.Namespace], None]
Commands = dict[Command, str]
Parsers = dict[str, argparse.ArgumentParser]


def make_parser(
    module: str, description: str | None, commands: Commands
) -> tuple[argparse.ArgumentParser, Parsers]:
    """Make the parser of a program, and one for each command, named by its function."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    subparsers = parser.add_subparsers(required=True)
    parsers = {}
    for command, explanation in commands.items():
        sub = subparsers.add_parser(command.__name__, help=explanation)
        sub.set_defaults(command=command)
        sub.add_argument(
            "--results", type=Path, default=RESULTS, help="folder of the tables (%(default)s)"
        )
        parsers[command.__name__] = sub
    return parser, parsers


def add_shard(parser: argparse.ArgumentParser) -> None:
    """Add the option that divides the work between processes."""
    parser.add_argument("--shard", default="0/1", help="part i/n of the fits, i from 0")


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> None:
    """Run a command; print a mistake of the user as a sentence, without a traceback."""
    options = parser.parse_args(arguments)
    try:
        options.command(options)
    except (FileNotFoundError, ModuleNotFoundError, ValueError) as error:
        sys.exit(f"Error: {error}")
