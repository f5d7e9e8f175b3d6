"""Limits on what a file may become in memory: a small file must not fill it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any, NamedTuple

from askl.cli.files import require
from askl.errors import TableError


class Limits(NamedTuple):
    """How large the parts of a table may be.

    Attributes
    ----------
    block_rows : int
        Rows of a block.
    line_bytes : int
        Bytes of a line of text, and of a block of text.
    expansion : int
        How many times its size a compressed file may become. Text becomes ten times as large,
        rarely fifty times.
    harmless_bytes : int
        A compressed file may become as large as this in any case.
    memory_bytes : int or None
        Bytes of a table in memory; None is half the memory of the machine.
    """

    block_rows: int = 2**16
    line_bytes: int = 2**24
    expansion: int = 200
    harmless_bytes: int = 2**28
    memory_bytes: int | None = None

    def check_memory(self, n_bytes: int, path: Path) -> None:
        """Raise if a table is larger than may be held in memory."""
        most = half_the_memory() if self.memory_bytes is None else self.memory_bytes
        if n_bytes > most:
            raise TableError(
                f"{path} is larger than {most / 2**30:.1f} GB, half the memory of this machine. "
                "Fit a sample of its rows or fewer columns."
            )


LIMITS = Limits()


def half_the_memory() -> int:
    """Return half of the machine's memory in bytes; 8 GB where the system does not tell."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return 2**33


class LimitedStream(io.RawIOBase):
    """The bytes of a file, decompressed; reading raises once a limit is passed.

    Parameters
    ----------
    path : Path
    compression : str, optional
        "gzip" or "zstd".
    in_memory : bool
        Whether all of it will be held in memory.
    limits : Limits
    """

    def __init__(
        self, path: Path, compression: str | None, *, in_memory: bool, limits: Limits
    ) -> None:
        self.path, self.in_memory, self.limits = path, in_memory, limits
        self.expands = compression is not None
        self.most = max(limits.harmless_bytes, limits.expansion * path.stat().st_size)
        self.count = 0
        self.stream: IO[bytes] | Any = (
            require("pyarrow", "arrow").input_stream(str(path), compression=compression)
            if compression
            else path.open("rb")
        )

    def readable(self) -> bool:
        """Return True, as streams do that can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, and count them."""
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        if self.expands and self.count > self.most:
            raise TableError(
                f"{self.path} expands to more than {self.limits.expansion} times its size, which "
                "no table does. If you trust it, decompress it first."
            )
        if self.in_memory:
            self.limits.check_memory(self.count, self.path)
        return len(data)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self.stream.close()
        super().close()
