"""A run that stops anywhere and goes on from its kept state ends with the same bits."""

from __future__ import annotations

import pytest
import torch

from askl.errors import DistributedError
from askl.learning import RunState, TrainingOptions
from askl.learning.model import Model
from askl.learning.sources import ALL_ROWS
from askl.spectral import Layer
from tests.learning.problem import DOUBLE, FULL_BATCH, fit, make_problem

OPTIONS = TrainingOptions((0.05,), 0.5, batch_size=7, max_epochs=3, dropout=0.25, input_noise=0.1)


class Memory:
    """A checkpointer that remembers copies of everything it is handed."""

    def __init__(self, restored: RunState | None = None, every: int = 1) -> None:
        self.restored, self.every, self.next_iteration = restored, every, 0
        self.states: list[RunState] = []

    def save(self, state: RunState, *, failing: bool = False) -> None:
        numbers = {**state.numbers, "history": [list(row) for row in state.numbers["history"]]}
        self.states.append(
            RunState({name: t.clone() for name, t in state.tensors.items()}, numbers)
        )
        self.next_iteration = numbers["iterations"] + self.every


def score(model: Model) -> float:
    """A score that rises and falls."""
    return float(model.weights.sum().sin())


def outcome(model: Model, result):
    timeless = repr([tuple(record)[:-1] for record in result.history])  # NaN equals NaN
    return [t.tolist() for t in model.tensors().values()], timeless, result.stop, result.n_epochs


def deep_problem():
    rows, model = make_problem()
    generator = torch.Generator().manual_seed(5)
    frequencies = torch.randn(2, 6 + 2, 4, generator=generator, dtype=DOUBLE)
    second = Layer(frequencies, torch.zeros(2, 4, dtype=DOUBLE))
    return rows, Model((*model.layers, second), torch.zeros(4, 2, dtype=DOUBLE))


@pytest.mark.parametrize(
    ("options", "with_score", "make"),
    [
        (OPTIONS, False, make_problem),
        (OPTIONS._replace(patience=1, max_epochs=6), True, make_problem),
        (OPTIONS._replace(record_every=4, optimizer="adadelta"), False, make_problem),
        (OPTIONS._replace(optimizer="sgd", schedule="constant"), True, make_problem),
        (OPTIONS._replace(learning_rates=()), False, make_problem),
        (OPTIONS._replace(learning_rates=(0.05, 0.02)), False, deep_problem),
    ],
    ids=["plain", "patience", "record_every", "sgd", "assigned", "deep"],
)
def test_resuming_at_any_iteration_gives_the_same_bits(options, with_score, make):
    extra = {"score": score} if with_score else {}
    rows, model = make()
    expected = outcome(model, fit(model, rows, options, **extra))
    rows, model = make()
    memory = Memory()
    assert outcome(model, fit(model, rows, options, checkpointer=memory, **extra)) == expected
    n_iterations = memory.states[-1].numbers["iterations"]
    assert len(memory.states) == n_iterations + 2  # the start and the end as well
    for kept in memory.states:
        rows, model = make()
        result = fit(model, rows, options, seed=99, checkpointer=Memory(kept), **extra)
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


def test_a_keeper_is_asked_as_often_as_it_wants_and_the_time_adds_up():
    rows, model = make_problem()
    memory = Memory(every=5)
    result = fit(model, rows, OPTIONS, checkpointer=memory)
    assert [s.numbers["iterations"] for s in memory.states] == [0, 5, 10, 15, 18]
    kept = memory.states[2]
    kept.numbers["seconds"] = 1000.0
    rows, model = make_problem()
    again = fit(model, rows, OPTIONS, checkpointer=Memory(kept, every=10**9))
    assert again.history[0].seconds == result.history[0].seconds
    assert again.history[-1].seconds > 1000.0


def test_an_interrupted_run_does_not_overwrite_what_was_kept():
    def interrupt(progress, model):
        raise KeyboardInterrupt

    rows, model = make_problem()
    memory = Memory(every=4)
    assert fit(model, rows, OPTIONS, callback=interrupt, checkpointer=memory).stop == "interrupted"
    assert [state.numbers["stop"] for state in memory.states] == [None, None]
    rows, model = make_problem()
    resumed = outcome(model, fit(model, rows, OPTIONS, checkpointer=Memory(memory.states[-1])))
    rows, model = make_problem()
    assert resumed == outcome(model, fit(model, rows, OPTIONS))


class LostGroup:
    """A group of one process whose others are gone after a few steps."""

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


def test_the_last_whole_iteration_is_kept_when_the_others_are_gone():
    options = OPTIONS._replace(learning_rates=(0.05, 0.02))
    rows, model = deep_problem()
    memory = Memory(every=10**9)
    with pytest.raises(DistributedError, match="gone"):
        fit(model, rows, options, checkpointer=memory, group=LostGroup(8))
    assert [state.numbers["iterations"] for state in memory.states] == [0, 8]
    rows, model = deep_problem()
    resumed = outcome(model, fit(model, rows, options, checkpointer=Memory(memory.states[-1])))
    rows, model = deep_problem()
    assert resumed == outcome(model, fit(model, rows, options))


def test_nothing_is_kept_where_the_others_took_their_components_along():
    rows, model = make_problem()
    memory = Memory(every=10**9)
    with pytest.raises(DistributedError, match="gone"):
        fit(model, rows, OPTIONS, checkpointer=memory, group=LostGroup(30))
    assert [state.numbers["iterations"] for state in memory.states] == [0]
