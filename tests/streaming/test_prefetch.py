from __future__ import annotations

import threading

import pytest

from askl.streaming.prefetch import prefetch


def test_errors_are_passed_on_and_the_thread_ends_with_its_reader():
    def fail():
        yield 1
        raise LookupError("mine")

    items = prefetch(fail())
    assert next(items) == 1
    with pytest.raises(LookupError, match="mine"):
        next(items)
    endless = prefetch(iter(int, 1), ahead=3)
    assert next(endless) == 0
    endless.close()
    assert not [t for t in threading.enumerate() if t.name == "askl-prefetch"]


def test_items_are_made_ahead_but_not_too_many():
    made = []
    enough = threading.Event()

    def items():
        for number in range(100):
            made.append(number)
            if len(made) == 4:
                enough.set()
            yield number

    read = prefetch(items(), ahead=2)
    assert next(read) == 0
    assert enough.wait(60.0)  # one read, two in the queue, one made
    assert list(read) == list(range(1, 100))
