"""Atomic writes: at any time, a file holds all of its old content or all of the new.

New content goes to a temporary file in the same folder, which is flushed to the disk and then takes
the final name in one step. Two processes may write the same file: each has a temporary file of its
own, with an unpredictable name, and the last one to finish decides the content. What a killed
process leaves behind is removed by the next write in that folder.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_PREFIX = ".askl-tmp"
_LEFTOVER = re.compile(rf"{re.escape(_PREFIX)}-(?P<host>\w{{8}})-(?P<process>\d+)-\w{{16}}(\.|$)")


def write_atomic(path: str | os.PathLike[str], content: bytes | bytearray) -> None:
    """Write a file in one step.

    Parameters
    ----------
    path : str or path
        A regular file, or a name that is free. The new file has the permissions of the one that it
        replaces; without one, the umask decides them.
    content : bytes

    Raises
    ------
    OSError
        Where the file cannot be written, or its name is that of a folder, a symbolic link, a pipe
        or a device. What was there before is unchanged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers.txt"
    ...     write_atomic(path, b"1 2 3")
    ...     path.read_text()
    '1 2 3'
    """
    with _open_replacement(Path(path)) as file:
        file.write(content)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file, which takes the final name if the block succeeds.

    For writers that want a path. The file is there, empty, and has the ending of the final name.
    If the block raises, the temporary file is removed, and what was there before is unchanged.

    Parameters
    ----------
    path : str or path
        As for :func:`write_atomic`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "numbers.txt"
    ...     with replacing(path) as temporary:
    ...         _ = temporary.write_text("1 2 3")
    ...     path.read_text(), len(list(Path(folder).iterdir()))
    ('1 2 3', 1)
    """
    final = Path(path)
    with _open_replacement(final, final.suffix) as file:
        yield Path(file.name)


@contextmanager
def _open_replacement(final: Path, suffix: str = "") -> Iterator[IO[bytes]]:
    """Open a temporary file, which takes the final name if the block succeeds."""
    permissions = _replaced_permissions(final)
    _remove_leftovers(final.parent)
    temporary = final.with_name(_temporary_name() + suffix)
    try:
        with open(temporary, "xb", opener=_open_new) as file:
            _set_permissions(file.fileno(), permissions)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, final)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _flush_folder(final.parent)


def _open_new(path: str, flags: int) -> int:
    """Open a file that is not there yet; a link put in its place is never followed."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _replaced_permissions(path: Path) -> int | None:
    """Return the permissions of the file that a write would replace; None where there is none.

    Raises
    ------
    OSError
        If the name is that of something else than a regular file. A link is not followed: in a
        shared folder, another user's link could lead to a file that must not be overwritten.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode):
        return _permissions(status)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "a pipe or a device"
    raise OSError(errno.EINVAL, f"The name is that of {kind}, not of a regular file", str(path))


def _permissions(status: os.stat_result) -> int:
    return stat.S_IMODE(status.st_mode) & 0o777


def _set_permissions(descriptor: int, permissions: int | None) -> None:
    """Change permissions only where that is needed: not every file system can."""
    if permissions not in (None, _permissions(os.fstat(descriptor))) and hasattr(os, "fchmod"):
        os.fchmod(descriptor, permissions)


def _temporary_name() -> str:
    """Make an unpredictable name that holds the number of this process."""
    return f"{_PREFIX}-{_host()}-{os.getpid()}-{secrets.token_hex(8)}"


def _host() -> str:
    """Return a short digest of this machine and container: others use the same numbers."""
    where = socket.gethostname()
    with suppress(OSError):
        where += os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(where.encode()).hexdigest()[:8]


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files in a folder whose processes, of this host, are dead."""
    if os.name != "posix":  # elsewhere there is no harmless signal to ask a process with
        return
    here = _host()
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _LEFTOVER.match(entry.name)
            if found and found["host"] == here and not _is_alive(int(found["process"])):
                with suppress(OSError):
                    os.unlink(entry.path)


def _is_alive(process: int) -> bool:
    """Return True if there is a process of that number."""
    try:
        os.kill(process, 0)
    except PermissionError:  # of another user
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _flush_folder(folder: Path) -> None:
    """Make the new name outlast a power cut, if the folder can be opened and flushed.

    If it cannot, that is not an error: the file has its new content.
    """
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
