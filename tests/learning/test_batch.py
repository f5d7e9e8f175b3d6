from __future__ import annotations

import pytest
import torch

from askl.learning import Batch
from askl.learning.batch import ALL_ROWS, Shard


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


@pytest.mark.parametrize("length", [0, 1, 7, 12])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_shards_are_disjoint_and_cover_everything_in_order(length, size):
    parts = [list(range(length))[Shard(rank, size).part(length)] for rank in range(size)]
    assert [row for part in parts for row in part] == list(range(length))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_a_single_process_has_all_rows():
    assert list(range(9))[ALL_ROWS.part(9)] == list(range(9))
