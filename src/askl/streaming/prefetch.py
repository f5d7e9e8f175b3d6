"""Prefetching in a background thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")


def prefetch(items: Iterable[Item], ahead: int = 1) -> Iterator[Item]:
    """Yield the items of an iterable that runs in a thread of its own, a few items ahead.

    An error of the iterable is raised here. If the reader stops early, the thread ends too.

    Examples
    --------
    >>> list(prefetch(range(3)))
    [0, 1, 2]
    """
    ready: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(maxsize=ahead)
    stopped, end = threading.Event(), object()

    def work() -> None:
        error: BaseException | None = None
        try:
            for item in items:
                ready.put((item, None))
                if stopped.is_set():
                    return
        except BaseException as raised:
            error = raised
        ready.put((end, error))

    thread = threading.Thread(target=work, name="askl-prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if error is not None:
                raise error
            if item is end:
                return
            yield item
    finally:
        stopped.set()
        while thread.is_alive():  # it may be waiting for room in the queue
            try:
                ready.get(timeout=0.01)
            except queue.Empty:
                continue
