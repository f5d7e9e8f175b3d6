"""A process that saves one file over and over, for the tests of two savers.

It loads the module under test by its path: importing the whole package takes seconds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "askl" / "persistence" / "atomic_write.py"


def load_module():
    specification = importlib.util.spec_from_file_location("atomic_write", SOURCE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def make_content(size: int) -> bytes:
    """Make random bytes that end on their checksum."""
    body = os.urandom(size)
    return body + hashlib.sha256(body).digest()


def is_complete(content: bytes) -> bool:
    return hashlib.sha256(content[:-32]).digest() == content[-32:]


def main() -> None:
    """Save, print a line, and save again until standard input ends: ``savers.py PATH SIZE``."""
    module, path, size = load_module(), Path(sys.argv[1]), int(sys.argv[2])
    os.set_blocking(sys.stdin.fileno(), False)
    module.write_atomic(path, make_content(size))
    print("saving", flush=True)
    while sys.stdin.buffer.read(1) is None:
        module.write_atomic(path, make_content(size))


def wait_inside() -> None:
    """Open a replacement, print its name, and wait for ever: ``python savers.py PATH``."""
    with load_module().replacing(sys.argv[1]) as temporary:
        temporary.write_bytes(b"half")
        print(temporary, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main() if len(sys.argv) > 2 else wait_inside()
