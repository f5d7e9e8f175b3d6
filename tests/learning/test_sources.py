from __future__ import annotations

import pytest
import torch

from askl.learning import Batch, TensorRows


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


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_a_batch_cover_it(weighted):
    weights = torch.rand(10) if weighted else None
    batch = Batch(torch.rand(10, 2), torch.arange(10), weights)
    starts, blocks = zip(*batch.blocks(4), strict=True)
    assert starts == (0, 4, 8)
    assert torch.equal(torch.cat([block.inputs for block in blocks]), batch.inputs)
    assert torch.equal(torch.cat([block.targets for block in blocks]), batch.targets)
    if weighted:
        assert torch.equal(torch.cat([block.sample_weights for block in blocks]), weights)
    assert next(batch.blocks(10))[1] is batch
