"""Limits: files that expand too far or are too large are refused."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest

from askl.cli.tabular.limits import LimitedStream, Limits, half_the_memory
from askl.cli.tabular.tables import named_blocks, open_table, read_table
from askl.errors import TableError

SMALL = Limits(harmless_bytes=2**16)


def test_a_file_that_expands_without_end_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,2\n" * 2**20))
    with pytest.raises(TableError, match="200 times its size"):
        read_table(path, "y", limits=SMALL)
    with pytest.raises(TableError, match="200 times its size"):
        list(named_blocks(open_table(path, limits=SMALL), {"a": "number"}))
    assert len(read_table(path, "y").y) == 2**20  # small enough to be harmless


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".feather"])
def test_a_table_larger_than_the_memory_is_refused(tmp_path, suffix):
    path, frame = tmp_path / f"t{suffix}", pd.DataFrame({"a": range(50), "y": range(50)})
    writers = {".csv": frame.to_csv, ".parquet": frame.to_parquet, ".feather": frame.to_feather}
    writers[suffix](path)
    with pytest.raises(TableError, match="half the memory"):
        read_table(path, "y", limits=Limits(memory_bytes=50))
    assert len(read_table(path, "y").y) == 50


def test_a_stream_counts_what_it_gives(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"12345")
    with LimitedStream(path, None, in_memory=True, limits=Limits(memory_bytes=5)) as stream:
        assert stream.read() == b"12345"
        assert stream.count == 5
    with (
        LimitedStream(path, None, in_memory=True, limits=Limits(memory_bytes=4)) as stream,
        pytest.raises(TableError, match="larger than"),
    ):
        stream.read()


def test_half_the_memory_is_some_of_it():
    assert 2**27 < half_the_memory() < 2**50
