from __future__ import annotations

import pytest
import torch

from askl.learning import Source, TensorRows
from askl.learning.sources import DerivedSource


def make_rows(n_samples=10, weighted=True, lazy=False):
    inputs = torch.arange(2.0 * n_samples).view(n_samples, 2)
    weights = torch.arange(1.0, n_samples + 1) if weighted else None
    source = (lambda index: inputs[index]) if lazy else inputs
    return inputs, TensorRows(source, torch.arange(n_samples), weights)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("batch_size", [1, 3, 4, 10, 99])
def test_an_epoch_shows_every_row_once_in_batches_of_almost_one_size(lazy, batch_size, generator):
    inputs, rows = make_rows(lazy=lazy)
    batches = list(rows.epoch(batch_size, generator))
    assert len(batches) == rows.n_batches(batch_size)
    sizes = [len(batch.inputs) for batch in batches]
    assert max(sizes) <= batch_size
    assert max(sizes) - min(sizes) <= 1
    seen = torch.cat([batch.targets for batch in batches])
    assert sorted(seen.tolist()) == list(range(10))
    assert torch.equal(torch.cat([batch.inputs for batch in batches]), inputs[seen])
    assert torch.equal(torch.cat([batch.sample_weights for batch in batches]), seen + 1.0)


def test_the_generator_decides_the_order():
    _, rows = make_rows(weighted=False)

    def order(seed):
        generator = torch.Generator().manual_seed(seed)
        return torch.cat([batch.targets for batch in rows.epoch(3, generator)]).tolist()

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert next(rows.epoch(3, torch.Generator())).sample_weights is None


@pytest.mark.parametrize("weighted", [False, True])
def test_a_subset_of_a_subset_finds_its_rows(weighted):
    inputs, rows = make_rows(weighted=weighted)
    inner = rows.subset(torch.tensor([7, 3, 5, 1])).subset(torch.tensor([2, 0]))
    batch = inner.rows(torch.tensor([0, 1]))
    assert torch.equal(batch.inputs, inputs[[5, 7]])
    assert batch.targets.tolist() == [5, 7]
    assert (batch.sample_weights is None) == (not weighted)
    if weighted:
        assert batch.sample_weights.tolist() == [6.0, 8.0]


def test_blocks_of_rows_keep_their_order():
    _, rows = make_rows()
    blocks = [batch.targets.tolist() for batch in rows.blocks(4)]
    assert blocks == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


class Doubled(DerivedSource):
    """The same rows with twice the inputs."""

    def epoch(self, batch_size, generator, *, skip=0):
        for batch in self.source.epoch(batch_size, generator, skip=skip):
            yield batch._replace(inputs=2.0 * batch.inputs)

    def blocks(self, n_rows):
        for batch in self.source.blocks(n_rows):
            yield batch._replace(inputs=2.0 * batch.inputs)


def test_a_derived_source_has_as_many_rows_and_batches_as_its_own(generator):
    inputs, rows = make_rows()
    doubled: Source = Doubled(rows)
    assert doubled.n_samples == 10
    assert doubled.n_batches(4) == rows.n_batches(4) == len(list(doubled.epoch(4, generator)))
    seen = torch.cat([batch.inputs for batch in doubled.blocks(3)])
    assert torch.equal(seen, 2.0 * inputs)


def test_skipped_batches_are_the_first_ones_of_the_same_order():
    _, rows = make_rows()

    def epoch(skip):
        batches = rows.epoch(3, torch.Generator().manual_seed(0), skip=skip)
        return [batch.targets.tolist() for batch in batches]

    assert epoch(2) == epoch(0)[2:]
