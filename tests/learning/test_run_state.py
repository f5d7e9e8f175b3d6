"""When a run asks its checkpointer to save, and what."""

from __future__ import annotations

import pytest

from askl.errors import DistributedError
from askl.learning.batch import ALL_ROWS
from tests.learning.problem import NOISY, Memory, deep_problem, fit, make_problem, outcome


def test_a_run_saves_whenever_it_is_due_and_the_time_adds_up():
    rows, model = make_problem()
    memory = Memory(every=5)
    result = fit(model, rows, NOISY, checkpointer=memory)
    assert [s.numbers["iterations"] for s in memory.states] == [0, 5, 10, 15, 18]
    middle = memory.states[2]
    middle.numbers["seconds"] = 1000.0
    rows, model = make_problem()
    again = fit(model, rows, NOISY, checkpointer=Memory(middle, every=10**9))
    assert again.history[0].seconds == result.history[0].seconds
    assert again.history[-1].seconds > 1000.0


def test_an_interrupted_run_does_not_overwrite_what_was_saved():
    def interrupt(progress, model):
        raise KeyboardInterrupt

    rows, model = make_problem()
    memory = Memory(every=4)
    assert fit(model, rows, NOISY, callback=interrupt, checkpointer=memory).stop == "interrupted"
    assert [state.numbers["stop"] for state in memory.states] == [None, None]
    rows, model = make_problem()
    resumed = outcome(model, fit(model, rows, NOISY, checkpointer=Memory(memory.states[-1])))
    rows, model = make_problem()
    assert resumed == outcome(model, fit(model, rows, NOISY))


class LostGroup:
    """A group of one process that loses the others after some messages."""

    shard = ALL_ROWS

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def all_reduce(self, tensor):
        self.steps -= 1
        if self.steps < 0:
            raise DistributedError("gone")
        return tensor

    def all_gather(self, tensor):
        return [self.all_reduce(tensor)]


def test_the_last_complete_iteration_is_saved_when_the_other_processes_are_lost():
    options = NOISY._replace(learning_rates=(0.05, 0.02))
    rows, model = deep_problem()
    memory = Memory(every=10**9)
    with pytest.raises(DistributedError, match="gone"):
        fit(model, rows, options, checkpointer=memory, group=LostGroup(8))
    assert [state.numbers["iterations"] for state in memory.states] == [0, 8]
    rows, model = deep_problem()
    resumed = outcome(model, fit(model, rows, options, checkpointer=Memory(memory.states[-1])))
    rows, model = deep_problem()
    assert resumed == outcome(model, fit(model, rows, options))


def test_nothing_is_saved_when_the_lost_processes_had_components():
    rows, model = make_problem()
    memory = Memory(every=10**9)
    with pytest.raises(DistributedError, match="gone"):
        fit(model, rows, NOISY, checkpointer=memory, group=LostGroup(30))
    assert [state.numbers["iterations"] for state in memory.states] == [0]
