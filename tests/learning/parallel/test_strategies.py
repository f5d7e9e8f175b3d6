"""Processes that divide the components or the rows train the model of a single process."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from askl.learning import HEAD_NORMS, Model, Objective, squared_loss
from askl.learning.batch import Shard
from askl.learning.parallel.strategies import (
    DataParallel,
    ModelParallel,
    SingleProcess,
    choose_strategy,
)
from askl.spectral import Layer
from tests.learning.problem import NOISY, Memory, deep_problem, fit, make_problem, wavy_score

OBJECTIVE = Objective(squared_loss, HEAD_NORMS["trace"], head_penalty=1e-3, feature_penalty=0.1)


class Meeting:
    """Lets the threads of a group exchange tensors."""

    def __init__(self, size: int) -> None:
        self.barrier, self.brought = threading.Barrier(size, timeout=60), [None] * size

    def groups(self):
        return [ThreadGroup(self, rank) for rank in range(self.barrier.parties)]


class ThreadGroup:
    """A group whose processes are threads."""

    def __init__(self, meeting: Meeting, rank: int) -> None:
        self.meeting, self.shard = meeting, Shard(rank, meeting.barrier.parties)

    def exchange(self, thing):
        self.meeting.brought[self.shard.rank] = thing
        self.meeting.barrier.wait()
        everyone = list(self.meeting.brought)
        self.meeting.barrier.wait()
        return everyone

    def all_gather(self, tensor):
        return [part.clone() for part in self.exchange(tensor.clone())]

    def all_reduce(self, tensor):
        return tensor.copy_(torch.stack(self.all_gather(tensor)).sum(dim=0))

    def broadcast(self, compute):
        return self.exchange(compute() if self.shard.rank == 0 else None)[0]


def together(size, work):
    """Let ``work(group)`` run in as many threads, and return what each returns."""
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(work, Meeting(size).groups()))


def paired_problem():
    rows, model = make_problem(n_components=7)
    layer = model.layers[0]._replace(activation="paired")
    return rows, Model((layer,), model.weights.new_zeros(14, model.weights.shape[1]))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("with_score", [False, True])
@pytest.mark.parametrize(
    ("make", "rates"),
    [(make_problem, (0.05,)), (paired_problem, (0.05,)), (deep_problem, (0.05, 0.02))],
    ids=["components", "paired", "rows"],
)
def test_processes_together_train_the_model_of_a_single_process(make, rates, with_score, size):
    options = NOISY._replace(learning_rates=rates)
    extra = {"score": wavy_score} if with_score else {}
    rows, model = make()
    expected = fit(model, rows, options, OBJECTIVE, **extra)

    def work(group):
        rows, model = make()
        return model, fit(model, rows, options, OBJECTIVE, group=group, **extra)

    for found, result in together(size, work):
        for name, tensor in model.tensors().items():
            torch.testing.assert_close(found.tensors()[name], tensor)
        for one, other in zip(result.history, expected.history, strict=True):
            assert one[:-1] == pytest.approx(other[:-1], nan_ok=True)


@pytest.mark.parametrize("sizes", [(1, 3), (3, 2)])
def test_a_run_resumes_with_another_number_of_processes(sizes):
    rows, model = make_problem()
    fit(model, rows, NOISY, OBJECTIVE)
    kept = None
    for size, every in zip(sizes, (5, 10**9), strict=True):

        def work(group, kept=kept, every=every):
            rows, model = make_problem()
            memory = Memory(kept, every)
            return (
                fit(model, rows, NOISY, OBJECTIVE, group=group, checkpointer=memory),
                model,
                memory,
            )

        _, last, memory = together(size, work)[0]
        kept = memory.states[1]  # after some iterations
    for name, tensor in model.tensors().items():
        torch.testing.assert_close(last.tensors()[name], tensor)


def test_any_process_combines_the_flags_of_all():
    found = together(2, lambda group: ModelParallel(group, 4).any_process(group.shard.rank == 1))
    assert found == [True, True]
    assert together(2, lambda group: ModelParallel(group, 4).any_process(False)) == [False, False]


def test_an_interrupted_process_does_not_communicate():
    def work(group):
        def interrupt(progress, model):
            raise KeyboardInterrupt

        rows, model = make_problem()
        return fit(model, rows, NOISY, OBJECTIVE, group=group, callback=interrupt)

    for result in together(2, work):
        assert result.stop == "interrupted"
        assert result.optimizer_state is None


def model_of(n_features, n_components, n_outputs, n_layers=1):
    layer = Layer(torch.zeros(2, n_features, n_components), torch.zeros(2, n_components))
    return Model((layer,) * n_layers, torch.zeros(n_components, n_outputs))


@pytest.mark.parametrize(
    ("model", "batch_size", "kind"),
    [
        (model_of(10, 100, 3), 256, ModelParallel),
        (model_of(10, 100, 3, n_layers=2), 256, DataParallel),
        (model_of(10, 1, 3), 2, DataParallel),  # a component for one of two processes only
        (model_of(1, 10, 3), 256, DataParallel),  # more outputs than parameters
    ],
)
def test_the_strategy_that_sends_fewer_numbers_is_chosen(model, batch_size, kind):
    group = ThreadGroup(Meeting(2), 0)
    assert type(choose_strategy(group, model, batch_size)) is kind
    assert type(choose_strategy(None, model, batch_size)) is SingleProcess
