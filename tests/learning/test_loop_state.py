"""A run that stops anywhere, and resumes from its saved state, ends with the same bits."""

from __future__ import annotations

import json

import pytest
import torch

from askl.learning import RunState
from askl.learning.loop_state import EpochOrder
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
