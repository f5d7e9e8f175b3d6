"""Numbers of threads: chosen, set and restored."""

from __future__ import annotations

import pytest
import torch

from askl.estimators.threads import (
    THREADING_MULTIPLICATIONS,
    choose_threads,
    count_multiplications,
    use_threads,
)
from askl.learning import Model
from askl.spectral import Layer
from tests.models import classifier


def test_multiplications_are_those_of_all_angles():
    layers = (
        Layer(torch.zeros(2, 3, 5), torch.zeros(2, 5)),
        Layer(torch.zeros(2, 8, 7), torch.zeros(2, 7)),
    )
    model = Model(layers, torch.zeros(7, 1))
    assert count_multiplications(model, 10) == 10 * (2 * 3 * 5 + 2 * 8 * 7)


@pytest.mark.parametrize(
    ("n_threads", "multiplications", "expected"),
    [
        (None, THREADING_MULTIPLICATIONS - 1, 1),
        (None, THREADING_MULTIPLICATIONS, 6),
        (3, 0, 3),
        (3, 1e12, 3),
    ],
)
def test_small_steps_have_one_thread_unless_a_number_is_given(n_threads, multiplications, expected):
    assert choose_threads(n_threads, multiplications, 6) == expected


def test_threads_are_set_inside_and_restored_outside():
    before = torch.get_num_threads()
    with use_threads(before + 1, 0.0):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    with pytest.raises(RuntimeError, match="mine"), use_threads(before + 1, 0.0):
        raise RuntimeError("mine")
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_fit_uses_the_threads_it_is_given(n_threads, classes):
    before = torch.get_num_threads()
    seen = []
    classifier(
        n_threads=n_threads,
        max_epochs=1,
        callback=lambda *_: seen.append(torch.get_num_threads()),
    ).fit(*classes)
    assert seen == [n_threads]
    assert torch.get_num_threads() == before
