"""Interrupts that something else catches and loses."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Iterator
from threading import Thread

import pytest
from joblib import Memory
from sklearn.datasets import load_iris

from askl import AutoSpectralKernelClassifier
from askl.auto.execution.interrupts import remember_interrupts


@pytest.fixture(autouse=True)
def python_handles_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def lose_an_interrupt() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return
    raise AssertionError("no interrupt was raised")


def test_a_lost_interrupt_is_raised_when_it_is_asked_for():
    with remember_interrupts() as check:
        check()
        lose_an_interrupt()
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_stays():
    heard: list[int] = []

    def own(number: int, frame: object) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, own)
    with remember_interrupts() as check:
        signal.raise_signal(signal.SIGINT)
        check()
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is own


def test_threads_may_search():
    ended: list[bool] = []

    def work() -> None:
        with remember_interrupts() as check:
            check()
        ended.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_a_search_ends_where_its_store_loses_the_interrupt(tmp_path, monkeypatch):
    interrupted: list[bool] = []

    def interrupt(lines: list[str]) -> list[str]:
        if not interrupted:
            interrupted.append(True)
            signal.raise_signal(signal.SIGINT)
        return lines

    # joblib looks a function up once in a process: whatever ran before, let it forget.
    Memory(str(tmp_path), verbose=0).clear(warn=False)
    X, y = load_iris(return_X_y=True)
    model = AutoSpectralKernelClassifier(memory=str(tmp_path), time_budget=None, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(inspect, "getblock", interrupt)  # which joblib calls within "except:"
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    assert interrupted == [True]
    assert not hasattr(model, "members_")
