"""The re-implemented script has the habits that its description names."""

from __future__ import annotations

import math

import numpy as np
import torch

from benchmarks.reference import Reference, Settings, single_sample_batches


def make_reference(generator: torch.Generator, **settings: float) -> Reference:
    return Reference(4, 3, Settings(n_components=20, **settings), generator)


def test_features_are_the_formula(generator: torch.Generator) -> None:
    model = make_reference(generator)
    x = torch.randn(1, 4, generator=generator)
    branches = [
        (frequencies.detach(), phases)
        for frequencies, phases in zip(model.frequencies, model.phases, strict=True)
    ]
    expected = [
        sum(math.cos(float(x[0] @ omega[:, j]) + float(b[j])) for omega, b in branches)
        / math.sqrt(2 * 20)
        for j in range(20)
    ]
    np.testing.assert_allclose(model.features(x).detach()[0], expected, rtol=1e-4, atol=1e-5)


def test_branches_have_their_own_phases(generator: torch.Generator) -> None:
    first, second = make_reference(generator).phases
    assert not torch.equal(first, second)


def test_the_head_only_shrinks_while_frequencies_learn(generator: torch.Generator) -> None:
    model = make_reference(generator, head_penalty=0.1, learning_rate=0.01)
    inputs = torch.randn(8, 4, generator=generator)
    targets = torch.randint(3, (8,), generator=generator)
    frequencies = model.frequencies[0].detach().clone()
    values = torch.linalg.svdvals(model.weights.detach())
    for _ in range(5):
        model.step(inputs, targets)
    shrunken = torch.linalg.svdvals(model.weights.detach())
    torch.testing.assert_close(shrunken, values - 5 * 0.1 * 0.01, rtol=1e-5, atol=1e-5)
    assert (model.frequencies[0].detach() - frequencies).abs().max() > 0.01
    # The optimiser still holds the first head.
    assert model.optimizer.param_groups[0]["params"][2] is not model.weights


def test_it_learns(generator: torch.Generator) -> None:
    model = make_reference(generator, learning_rate=0.01)
    inputs = torch.randn(200, 4, generator=generator)
    targets = (inputs[:, 0] > 0.0).long()
    batches = single_sample_batches(inputs, targets, 32, generator)
    losses = [np.mean([model.step(*batch).loss for batch in batches]) for _ in range(20)]
    assert losses[-1] < 0.5 * losses[0]


def test_an_epoch_holds_every_row_once(generator: torch.Generator) -> None:
    inputs = torch.arange(10.0)[:, None]
    batches = list(single_sample_batches(inputs, inputs[:, 0], 4, generator))
    assert [len(batch[0]) for batch in batches] == [4, 4, 2]
    assert sorted(torch.cat([batch[1] for batch in batches]).tolist()) == list(range(10))
