"""Limits on what a file may turn into: a small file must not fill the memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any

from askl.cli.files import require
from askl.errors import TableError

# A line of text, and a block of a table, in bytes.
LINE_BYTES = 2**24
# Text compresses by ten, seldom by fifty. What grows by more is refused, beyond a harmless size.
EXPANSION = 200
HARMLESS_BYTES = 2**28


def memory_limit() -> int:
    """Return how many bytes a table in memory may take: half of what the machine has."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return 2**33


def check_memory(n_bytes: int, path: Path) -> None:
    """Raise where a table is larger than may be held in memory."""
    if n_bytes > memory_limit():
        raise TableError(
            f"{path} is larger than {memory_limit() / 2**30:.1f} GB, half the memory of this "
            "machine. Fit a sample of its rows or fewer columns."
        )


class LimitedStream(io.RawIOBase):
    """The bytes of a file, decompressed, counted, and refused past a limit.

    Parameters
    ----------
    path : Path
    compression : str, optional
        "gzip" or "zstd".
    in_memory : bool
        Whether all of it will be held in memory.
    """

    def __init__(self, path: Path, compression: str | None, *, in_memory: bool) -> None:
        self.path, self.in_memory = path, in_memory
        self.expands = compression is not None
        self.most = max(HARMLESS_BYTES, EXPANSION * path.stat().st_size)
        self.count = 0
        self.stream: IO[bytes] | Any = (
            require("pyarrow", "arrow").input_stream(str(path), compression=compression)
            if compression
            else path.open("rb")
        )

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, and count them."""
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        if self.expands and self.count > self.most:
            raise TableError(
                f"{self.path} expands to more than {EXPANSION} times its size, which no table "
                "does. If you trust it, decompress it first."
            )
        if self.in_memory:
            check_memory(self.count, self.path)
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self.stream.close()
        super().close()
