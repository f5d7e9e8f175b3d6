"""Errors and warnings with a remedy in their message; all errors are ``ValueError`` as well."""

from __future__ import annotations

import inspect
import warnings


class AsklError(ValueError):
    """Something that the user can correct: a file, a column, a setting."""


class ModelFileError(AsklError):
    """A model file that cannot be written or read: changed, damaged, or of another version."""


class CheckpointError(AsklError):
    """A checkpoint that cannot be written, read, or continued from."""


class DistributedError(AsklError):
    """Processes that cannot train together, or that have lost one of them."""


class TableError(AsklError):
    """A table that cannot be read, or lacks what was asked of it."""


def warn_user(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line of the user's program that called this package."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "askl":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
