"""Rows that are held out, and scores on them."""

from __future__ import annotations

import pytest
import torch

from askl.estimators.classifier import accuracy
from askl.estimators.split import make_scorer, predict_held_out, split_rows
from askl.learning import Model, TensorRows
from askl.spectral import Layer


def all_of(rows):
    return rows.rows(torch.arange(rows.n_samples))


@pytest.mark.parametrize("fraction", [0.1, 0.25])
def test_held_out_rows_are_some_of_each_class_and_none_of_the_others(fraction, generator):
    targets = torch.tensor([0] * 60 + [1] * 30 + [2] * 10)
    rows = TensorRows(torch.arange(100.0)[:, None], targets)
    train, held_out, _ = split_rows(rows, fraction, generator, stratify=True)
    n_held_out = round(100 * fraction)
    counts = torch.bincount(held_out.targets, minlength=3)
    expected = torch.tensor([0.6, 0.3, 0.1]) * n_held_out
    assert (counts - expected).abs().max() <= 1.0
    together = torch.cat([all_of(source).inputs for source in (train, held_out)])
    assert sorted(together[:, 0].tolist()) == list(range(100))


def test_rows_keep_their_targets_and_weights(generator):
    numbers = torch.arange(50.0)
    rows = TensorRows(numbers[:, None], 10.0 * numbers[:, None], numbers / 100.0)
    for part in split_rows(rows, 0.2, generator, stratify=False)[:2]:
        batch = all_of(part)
        torch.testing.assert_close(batch.targets, 10.0 * batch.inputs)
        torch.testing.assert_close(batch.sample_weights, batch.inputs[:, 0] / 100.0)
    assert all_of(part).inputs.shape == (10, 1)


def test_rows_are_drawn_from_the_generator():
    rows = TensorRows(torch.arange(50.0)[:, None], torch.zeros(50, 1))
    first, again, other = (
        all_of(
            split_rows(rows, 0.2, torch.Generator().manual_seed(seed), stratify=False).held_out
        ).inputs
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(("n_rows", "fraction"), [(1, 0.1), (3, 0.9)])
def test_a_row_must_be_left_to_train_on(n_rows, fraction, generator):
    rows = TensorRows(torch.zeros(n_rows, 1), torch.zeros(n_rows, 1))
    with pytest.raises(ValueError, match=f"leaves no row to train on: n_samples={n_rows}"):
        split_rows(rows, fraction, generator, stratify=False)


def test_a_model_is_scored_on_all_held_out_rows_block_by_block(generator):
    layer = Layer(torch.randn(1, 2, 8, generator=generator), torch.zeros(1, 8))
    model = Model((layer,), torch.randn(8, 3, generator=generator))
    inputs = torch.randn(25, 2, generator=generator)
    targets, weights = torch.arange(25) % 3, torch.linspace(0.5, 1.5, 25)
    outputs = (inputs @ layer.frequencies[0]).cos() * (2.0 / 8) ** 0.5 @ model.weights
    hits = (outputs.argmax(dim=1) == targets).double()
    rows = TensorRows(inputs, targets, weights)
    for block_rows in (4, 100):
        scorer = make_scorer(rows, accuracy, block_rows=block_rows)
        assert scorer(model) == pytest.approx(float((hits * weights).sum() / weights.sum()))


def test_without_rows_nothing_is_scored():
    assert make_scorer(None, accuracy) is None


def test_held_out_outputs_are_those_of_the_model(generator):
    inputs = torch.randn(30, 2, generator=generator)
    layer = Layer(torch.randn(2, 2, 8, generator=generator), torch.zeros(2, 8))
    model = Model((layer,), torch.randn(8, 3, generator=generator))
    rows = TensorRows(inputs, torch.arange(30), torch.ones(30))
    found = predict_held_out(model, rows, block_rows=7)
    expected = torch.cos(inputs @ layer.frequencies).sum(dim=0) * layer.scale @ model.weights
    torch.testing.assert_close(torch.from_numpy(found.outputs), expected)
    assert found.targets.tolist() == list(range(30))
    assert found.sample_weights.sum() == 30.0
