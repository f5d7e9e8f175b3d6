"""Interrupts that are not lost.

joblib looks up the source of what it keeps, and writes files, in blocks that let nothing through:
an interrupt that comes in one of them is swallowed, and a search would go on.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def interrupts_kept() -> Iterator[Callable[[], None]]:
    """Yield a function that raises ``KeyboardInterrupt`` where one has come in the block.

    Nothing changes outside the main thread, where Python handles no signals, nor where the
    program has a handler of its own.

    Examples
    --------
    >>> with interrupts_kept() as check:
    ...     check()
    """
    came = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.default_int_handler(number, frame)

    def check() -> None:
        if came:
            raise KeyboardInterrupt

    ours = current_thread() is main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check
        return
    signal.signal(signal.SIGINT, remember)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
