from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from askl.errors import TableError
from askl.streaming.sources import CHUNK_NUMBERS, open_source
from tests.streaming.tables import as_table, make_rows, write_files


def read_all(partitions, order=None):
    order = range(partitions.n_partitions) if order is None else order
    chunks = [chunk for partition in order for chunk in partitions.read(partition)]
    return tuple(np.concatenate(part) for part in zip(*chunks, strict=True))


def test_row_groups_are_partitions_that_are_read_in_any_order(tmp_path):
    partitions = open_source(write_files(tmp_path), "y")
    assert partitions.n_partitions == 9
    assert partitions.feature_names == ["a", "b", "c"]
    X, y = make_rows()
    for _ in range(2):
        inputs, targets = read_all(partitions)
        np.testing.assert_array_equal(inputs, X)
        np.testing.assert_array_equal(targets, y)
    inputs, targets = read_all(partitions, [8, 0])
    np.testing.assert_array_equal(targets, np.concatenate([y[-46:], y[:60]]))
    np.testing.assert_array_equal(inputs, np.concatenate([X[-46:], X[:60]]))


def test_several_targets_are_columns(tmp_path):
    X, y = make_rows()
    for source in (write_files(tmp_path), lambda: iter([as_table(X, y)])):
        partitions = open_source(source, ["b", "y"])
        inputs, targets = read_all(partitions)
        assert partitions.feature_names == ["a", "c"]
        np.testing.assert_array_equal(inputs, X[:, [0, 2]])
        np.testing.assert_array_equal(targets, np.column_stack([X[:, 1], y]))


def test_chunks_are_small_and_in_wide_tables_not_too_small(tmp_path):
    X, y = make_rows(3 * 2**16)
    parquet.write_table(as_table(X, y), tmp_path / "long.parquet")
    for source, target in ((tmp_path / "long.parquet", "y"), (lambda: iter([(X, y)]), None)):
        sizes = [len(inputs) for inputs, _ in open_source(source, target).read(0)]
        assert (sum(sizes), max(sizes)) == (len(X), 2**16)
    wide = np.zeros((300, CHUNK_NUMBERS // 100), dtype=np.float32)
    chunks = open_source(lambda: iter([(wide, wide[:, 0])]), None).read(0)
    assert [len(inputs) for inputs, _ in chunks] == [256, 44]


def bad_sources(folder):
    X, y = make_rows(50)
    parquet.write_table(as_table(X, y), folder / "t.parquet")
    text = as_table(X, y).set_column(0, "a", pa.array(["x"] * 50))
    (folder / "empty").mkdir()
    return {
        "array": (X, None, "must be a path.*Got ndarray"),
        "missing": (folder / "none.parquet", "y", "Found nothing"),
        "no files": (folder / "empty", "y", "files of 0 formats"),
        "no target": (folder / "t.parquet", None, r"must name one of .*'a', 'y'.*Got None"),
        "bad target": (dataset.dataset(folder / "t.parquet"), "z", "Got 'z'"),
        "text": (lambda: iter([text]), "y", "Column 'a' holds values of type object"),
        "shapes": (lambda: iter([(X, y[:-1])]), None, "as many rows"),
        "one dimension": (lambda: iter([(y, y)]), None, "X of two dimensions"),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("array", "missing", "no files", "no target", "bad target", "text", "shapes"),
        "one dimension",
    ],
)
def test_what_cannot_be_read_says_why(name, tmp_path):
    source, target, message = bad_sources(tmp_path)[name]
    with pytest.raises(TableError, match=message):
        read_all(open_source(source, target))
