"""The command line: it parses options, calls the library, and prints."""

from askl.cli.main import app, main

__all__ = ["app", "main"]
