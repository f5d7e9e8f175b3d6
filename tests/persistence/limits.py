"""A disk that is full, for the tests of writes that fail."""

from __future__ import annotations

import resource
from contextlib import contextmanager


@contextmanager
def files_limited_to(n_bytes):
    """Let writes beyond a number of bytes fail, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
