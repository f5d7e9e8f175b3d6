"""Parquet, Arrow and arrays: blocks of bounded size."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.datasets import dump_svmlight_file

from askl.cli.tabular.binary_tables import ArrayTable, ArrowTable, ParquetTable
from askl.cli.tabular.limits import Limits
from askl.errors import TableError

SMALL = Limits(block_rows=4, line_bytes=48)


def test_parquet_comes_in_blocks_of_the_columns_that_are_asked_for(tmp_path):
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table({"a": range(10), "b": range(10)}), path)
    table = ParquetTable(path, limits=SMALL)
    assert (table.names, table.n_rows) == (["a", "b"], 10)
    batches = list(table.batches({"b": "number"}))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]
    assert batches[0].schema.names == ["b"]


def test_arrow_files_and_streams_are_told_by_their_first_bytes(tmp_path):
    content = pa.table({"a": [1, 2]})
    for name, make in {"file": pa.ipc.new_file, "stream": pa.ipc.new_stream}.items():
        path = tmp_path / f"{name}.arrow"
        with pa.OSFile(str(path), "wb") as file, make(file, content.schema) as writer:
            writer.write_table(content)
        (batch,) = ArrowTable(path).batches({"a": "number"})
        assert batch.column("a").to_pylist() == [1, 2]


def test_arrays_come_in_blocks(tmp_path):
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0)
    np.savez(tmp_path / "t.npz", X=X, y=y)
    blocks = list(ArrayTable(tmp_path / "t.npz", svmlight=False, limits=SMALL).arrays(None))
    assert [len(block[0]) for block in blocks] == [4, 4, 2]
    np.testing.assert_array_equal(np.vstack([block[0] for block in blocks]), X)
    np.testing.assert_array_equal(np.concatenate([block[1] for block in blocks]), y)


def test_svmlight_blocks_join_to_the_whole(tmp_path):
    X, y = np.eye(9), np.arange(9.0)
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"), zero_based=False)
    table = ArrayTable(tmp_path / "t.svm", svmlight=True, limits=SMALL)
    assert len(list(table.arrays(9))) > 1
    whole, targets = table.read()
    np.testing.assert_array_equal(whole.toarray(), X)
    np.testing.assert_array_equal(targets, y)


def test_a_line_longer_than_the_limit_is_refused(tmp_path):
    (tmp_path / "t.svm").write_text("1 " + " ".join(f"{n}:1" for n in range(1, 60)))
    with pytest.raises(TableError, match="a line longer than"):
        ArrayTable(tmp_path / "t.svm", svmlight=True, limits=SMALL).read()
