"""When a run is saved, and that a resumed run ends with the same bits."""

from __future__ import annotations

import json

import pytest
import torch

from askl.errors import DistributedError
from askl.learning import RunState
from askl.learning.batch import ALL_ROWS
from askl.learning.run_state import EpochOrder
from tests.learning.problem import (
    FULL_BATCH,
    NOISY,
    Memory,
    deep_problem,
    fit,
    make_problem,
    outcome,
    wavy_score,
)


@pytest.mark.parametrize(
    ("options", "with_score", "make"),
    [
        (NOISY, False, make_problem),
        (NOISY._replace(patience=1, max_epochs=6), True, make_problem),
        (NOISY._replace(record_every=4, optimizer="adadelta"), False, make_problem),
        (NOISY._replace(optimizer="sgd", schedule="constant"), True, make_problem),
        (NOISY._replace(learning_rates=()), False, make_problem),
        (NOISY._replace(learning_rates=(0.05, 0.02)), False, deep_problem),
    ],
    ids=["plain", "patience", "record_every", "sgd", "assigned", "deep"],
)
def test_resuming_at_any_iteration_gives_the_same_bits(options, with_score, make):
    extra = {"score": wavy_score} if with_score else {}
    rows, model = make()
    expected = outcome(model, fit(model, rows, options, **extra))
    rows, model = make()
    memory = Memory()
    assert outcome(model, fit(model, rows, options, checkpointer=memory, **extra)) == expected
    n_iterations = memory.states[-1].numbers["iterations"]
    assert len(memory.states) == n_iterations + 2  # the start and the end as well
    for saved in memory.states:
        rows, model = make()
        result = fit(model, rows, options, seed=99, checkpointer=Memory(saved), **extra)
        assert outcome(model, result) == expected


def test_a_diverged_run_that_resumes_diverges_again():
    options = FULL_BATCH._replace(head_learning_rate=1e30, max_epochs=50)
    rows, model = make_problem()
    memory = Memory()
    expected = outcome(model, fit(model, rows, options, checkpointer=memory))
    assert expected[2] == "diverged"
    rows, model = make_problem()
    assert (
        outcome(model, fit(model, rows, options, checkpointer=Memory(memory.states[0]))) == expected
    )


def test_the_numbers_of_a_state_survive_json():
    rows, model = make_problem()
    memory = Memory()
    expected = outcome(model, fit(model, rows, NOISY, score=wavy_score, checkpointer=memory))
    state = memory.states[9]
    numbers = json.loads(json.dumps(state.numbers))
    rows, model = make_problem()
    again = Memory(RunState(state.tensors, numbers))
    assert outcome(model, fit(model, rows, NOISY, score=wavy_score, checkpointer=again)) == expected


def test_the_order_of_an_epoch_can_be_drawn_again_after_other_draws(generator):
    rows, _ = make_problem()
    order = EpochOrder(generator)
    first = [batch.targets for batch in order.batches(rows, 7, n_taken=0)]
    torch.rand(5, generator=generator)  # as dropout does
    before = generator.get_state()
    rest = [batch.targets for batch in order.batches(rows, 7, n_taken=2)]
    assert torch.equal(torch.cat(rest), torch.cat(first[2:]))
    assert torch.equal(generator.get_state(), before)
    assert list(order.batches(rows, 7, n_taken=len(first))) == []
    second = [batch.targets for batch in order.batches(rows, 7, n_taken=0)]
    assert not torch.equal(torch.cat(second), torch.cat(first))


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
