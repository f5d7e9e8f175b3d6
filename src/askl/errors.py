"""Errors whose message says what to do; all are ``ValueError`` as well."""

from __future__ import annotations


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
