from __future__ import annotations

import numpy as np
import pytest
import torch

from askl.errors import TableError
from askl.streaming.rows import RowEncoder, Stream, StreamRows
from askl.streaming.sources import open_source
from askl.streaming.statistics import collect_statistics
from tests.streaming.tables import make_rows, write_files

CPU = torch.device("cpu")


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path)


def open_rows(source, target="y", *, n_held_out=0, seed=3, **options):
    partitions = open_source(source, target)
    stream = Stream(partitions, collect_statistics(partitions, seed, lambda y: None), seed)
    encoder = RowEncoder(lambda X: X.astype(np.float32), lambda y: y.astype(np.float32))
    return StreamRows(stream, encoder, CPU, n_held_out, **options)


def seen(batches):
    return torch.cat([batch.targets for batch in batches])


@pytest.mark.parametrize("buffer_rows", [8, 64, 10**6])
@pytest.mark.parametrize("n_held_out", [0, 37])
def test_an_epoch_shows_every_row_once(folder, buffer_rows, n_held_out, generator):
    rows = open_rows(folder, n_held_out=n_held_out, buffer_rows=buffer_rows)
    assert rows.stream.partitions.n_partitions == 9
    batches = list(rows.epoch(32, generator))
    assert len(batches) == rows.n_batches(32) == -(-rows.n_samples // 32)
    sizes = {len(batch.inputs) for batch in batches}
    assert max(sizes) - min(sizes) <= 1
    X, y = make_rows()
    shown = [*seen(batches).tolist()]
    if n_held_out:
        held_out = rows.held_out()
        assert held_out.n_samples == n_held_out
        shown += held_out.targets.tolist()
    assert sorted(shown) == sorted(y.astype(np.float32).tolist())
    by_target = dict(zip(y.astype(np.float32).tolist(), X.astype(np.float32), strict=True))
    for inputs, target, _ in (batches[0], batches[-1]):
        np.testing.assert_array_equal(inputs, [by_target[value] for value in target.tolist()])


def test_the_seed_decides_the_order_and_batches_can_be_skipped(folder):
    rows = open_rows(folder, buffer_rows=64)

    def epoch(seed, skip=0):
        return seen(rows.epoch(32, torch.Generator().manual_seed(seed), skip=skip))

    first = epoch(1)
    assert torch.equal(first, epoch(1))
    assert not torch.equal(first, epoch(2))
    batches = list(rows.epoch(32, torch.Generator().manual_seed(1)))
    for skip in (1, 7, 15):
        assert torch.equal(epoch(1, skip), seen(batches[skip:]))
    assert list(rows.epoch(32, torch.Generator().manual_seed(1), skip=16)) == []


def test_sorted_rows_are_shuffled():
    y = np.arange(4000.0)
    rows = open_rows(lambda: iter([(y[:, None], y)]), target=None)
    order = seen(rows.epoch(100, torch.Generator().manual_seed(0)))
    assert abs(np.corrcoef(y, order)[0, 1]) < 0.1


def test_blocks_keep_the_order_and_leave_out_rows_held_out(folder):
    rows = open_rows(folder, n_held_out=20)
    blocks = list(rows.blocks(16))
    assert max(len(block.inputs) for block in blocks) == 16
    held_out = set(rows.held_out().targets.tolist())
    expected = [
        value for value in make_rows()[1].astype(np.float32).tolist() if value not in held_out
    ]
    assert seen(blocks).tolist() == expected


def test_rows_have_the_weights_of_their_classes():
    encoder = RowEncoder(np.float32, np.int64, torch.tensor([0.5, 2.0]))
    inputs, targets = encoder.encode(np.ones((3, 2)), np.array([1, 0, 1]))
    batch = encoder.batch(inputs, targets, CPU)
    assert batch.sample_weights.tolist() == [2.0, 0.5, 2.0]


def test_a_source_that_changes_is_noticed(generator):
    X, y = make_rows()
    chunks = [(X, y)]
    rows = open_rows(lambda: iter(chunks), target=None)
    assert len(list(rows.blocks(100))) == 5
    chunks[0] = (X[:-1], y[:-1])
    for read in (rows.blocks(100), rows.epoch(100, generator)):
        with pytest.raises(TableError, match="has 499 rows, and had 500 at first"):
            list(read)
