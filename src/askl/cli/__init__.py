"""The command line: thin. Parse, call, print."""

from askl.cli.main import app, main

__all__ = ["app", "main"]
