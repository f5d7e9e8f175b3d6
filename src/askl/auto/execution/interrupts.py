"""Interrupts that are not lost.

joblib looks up the source of the functions whose results it keeps, and writes files, in blocks
that catch every exception: an interrupt that comes in one of them is lost, and a search would
go on.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def remember_interrupts() -> Iterator[Callable[[], None]]:
    """Yield a function that raises ``KeyboardInterrupt`` if one has come in the block.

    Nothing changes outside the main thread, where Python handles no signals, nor where the
    program has a handler of its own.

    Examples
    --------
    >>> with remember_interrupts() as check:
    ...     check()
    """
    interrupted = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        signal.default_int_handler(number, frame)

    def check() -> None:
        if interrupted:
            raise KeyboardInterrupt

    is_main = current_thread() is main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check
        return
    signal.signal(signal.SIGINT, remember)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
