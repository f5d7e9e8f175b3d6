"""Readers: every format gives the same table, and bad files give a sentence."""

from __future__ import annotations

import contextlib
import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from askl.cli.tabular.limits import Limits
from askl.cli.tabular.tables import array_blocks, named_blocks, open_table, read_table
from askl.errors import TableError

FRAME = pd.DataFrame(
    {
        "number": [1.5, 2.0, None, -4.0],
        "text": ["a", "b, c", None, 'say "ü"'],
        "whole": [1, 2, 3, 4],
        "date": pd.to_datetime(["2020-01-01", "2021-02-03", None, "1999-12-31"]),
        "y": ["no", "yes", "no", "yes"],
    }
)


def write(folder: Path, suffix: str) -> Path:
    path = folder / f"table{suffix}"
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    separator = "\t" if ".tsv" in suffix else ";" if "semicolon" in suffix else ","
    text = FRAME.to_csv(index=False, sep=separator).encode()
    if suffix.endswith(".parquet"):
        pa.parquet.write_table(table, path)
    elif suffix.endswith(".feather"):
        pa.feather.write_feather(table, path)
    elif suffix.endswith(".arrow"):
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
    elif suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(text))
    elif suffix.endswith(".zst"):
        with pa.CompressedOutputStream(str(path), "zstd") as file:
            file.write(text)
    else:
        path.write_bytes((b"\xef\xbb\xbf" if "mark" in suffix else b"") + text)
    return path


@pytest.mark.parametrize(
    "suffix",
    [
        *(".csv", ".mark.csv", ".semicolon.csv", ".tsv", ".csv.gz", ".csv.zst", ".tsv.gz"),
        *(".parquet", ".feather", ".arrow", ".CSV"),
    ],
)
def test_every_format_holds_the_same_table(tmp_path, suffix):
    X, y = read_table(write(tmp_path, suffix), "y")
    assert y.tolist() == FRAME["y"].tolist()
    assert list(X.columns) == ["number", "text", "whole", "date"]
    np.testing.assert_array_equal(X["number"], FRAME["number"])
    assert X["text"].fillna("").tolist() == FRAME["text"].fillna("").tolist()
    assert X["date"].dt.year.fillna(0).tolist() == [2020, 2021, 0, 1999]
    table = open_table(tmp_path / f"table{suffix}")
    kinds = {"text": "text", "whole": "number", "y": "label"}
    (block,) = named_blocks(table, kinds, "y")
    assert list(block.X.columns) == ["text", "whole"]
    assert block.X["whole"].tolist() == [1, 2, 3, 4]
    assert block.y.tolist() == FRAME["y"].tolist()


def test_arrays_and_sparse_rows_come_in_blocks(tmp_path):
    X, y = np.eye(3) * 2.5, np.array([0.0, 1.0, 1.0])
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    dump_svmlight_file(X, y, str(tmp_path / "rows.svm"), zero_based=False)
    compressed = tmp_path / "rows.svm.gz"
    compressed.write_bytes(gzip.compress((tmp_path / "rows.svm").read_bytes()))
    for name in ("rows.npz", "rows.svm", "rows.svm.gz"):
        whole = read_table(tmp_path / name, None)
        (block,) = array_blocks(open_table(tmp_path / name), 3)
        for found in (whole, block):
            dense = found.X.toarray() if name != "rows.npz" else found.X
            np.testing.assert_array_equal(dense, X)
            np.testing.assert_array_equal(found.y, y)


def test_sparse_rows_longer_than_a_block_are_joined(tmp_path):
    lines = [f"{number % 2} {1 + number % 5}:{number}.5" for number in range(50)]
    (tmp_path / "rows.svm").write_text("\n".join(lines))
    X, y = read_table(tmp_path / "rows.svm", None, limits=Limits(line_bytes=40))
    assert X.shape == (50, 5)
    assert y.tolist() == [number % 2 for number in range(50)]
    assert X[7, 2] == 7.5


def test_types_are_widened_where_the_first_rows_were_too_narrow(tmp_path):
    small = Limits(line_bytes=64)
    rows = ["a,b"] + ["1,"] * 40 + ["2.5,x"] * 3
    (tmp_path / "t.csv").write_text("\n".join(rows))
    table = open_table(tmp_path / "t.csv", limits=small)
    blocks = list(named_blocks(table, {"a": "any", "b": "any"}))
    assert len(blocks) > 1
    assert blocks[-1].X["a"].tolist()[-1] == 2.5
    assert blocks[-1].X["b"].tolist()[-1] == "x"
    X, _ = read_table(tmp_path / "t.csv", "b", limits=small)
    assert X["a"].tolist() == [1.0] * 40 + [2.5] * 3


def test_mixed_types_are_text_and_truth_is_a_number(tmp_path):
    (tmp_path / "t.csv").write_text("mixed,truth,y\n1,true,0\nx,false,1\n")
    X, y = read_table(tmp_path / "t.csv", "y")
    assert X["mixed"].tolist() == ["1", "x"]
    assert X["truth"].tolist() == [1.0, 0.0]
    assert y.tolist() == [0, 1]


BAD = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n\n", "no line of column names"),
    "header.csv": (b"a,y\n", "no rows"),
    "ragged.csv": (b"a,y\n1,2\n3\n", "Expected 2 columns, got 1"),
    "latin.csv": ("a,y\n1,ü\n".encode("latin-1"), "UTF-8"),
    "latin-names.csv": ("ü,y\n1,2\n".encode("latin-1"), "UTF-8"),
    "wide.csv": ("a,y\n1,2\n".encode("utf-16"), "UTF-16"),
    "null.csv": (b"a,y\n1,\x002\n", "null bytes"),
    "twice.csv": (b"a,a,y\n1,2,3\n", "more than one column 'a'"),
    "close.csv": (b"a,Y\n1,2\n", "no column 'y'"),
    "other.csv": (b"a,yy\n1,2\n", "Close names: 'yy'"),
    "numbers.csv": (b"1,2\n3,4\n", "first line missing"),
    "alone.csv": (b"y\n1\n2\n", "no column beside the target"),
    "date.csv": (b"a,y\n1,2020-01-01\n", "holds dates"),
    "quote.csv": (b'a,y\n1,"2\n3,4\n' + b"5,6\n" * 2**23, "never closed"),
    "fake.parquet": (b"PAR1 no", "cannot be read"),
    "fake.feather": (b"ARROW1 no", "cannot be read"),
    "fake.arrow": (b"nothing", "cannot be read"),
    "fake.csv.gz": (b"nothing", "cannot be read"),
    "cut.csv.gz": (gzip.compress(b"a,y\n" + os.urandom(4000).hex().encode())[:-900], "cannot be"),
    "fake.npz": (b"nothing", "saved by numpy.savez"),
    "unknown.xlsx": (b"PK", "not that of a known format"),
    "none": (b"a,y\n", "not that of a known format"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_an_error_that_names_it(tmp_path, name):
    content, words = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    target = None if name.endswith(".npz") else "y"
    with pytest.raises(TableError, match=words) as caught:
        read_table(path, target)
    assert (
        name.split(".")[0] in str(caught.value)
        or name == "date.csv"
        or "Column" in str(caught.value)
    )


@pytest.mark.parametrize("text", ["x 1:2", "1 a:b", "1 0:2", "1 1:2 1:3", "1 2:x"])
def test_a_bad_line_of_svmlight_is_an_error(tmp_path, text):
    (tmp_path / "t.svm").write_text(f"1 1:2\n{text}\n")
    with pytest.raises(TableError, match="svmlight"):
        read_table(tmp_path / "t.svm", None)


def test_bad_arrays_are_errors(tmp_path):
    for arrays in ({"Z": np.eye(2)}, {"X": np.ones(3), "y": np.ones(3)}, {"X": np.eye(2)}):
        np.savez(tmp_path / "t.npz", **arrays)
        with pytest.raises(TableError):
            read_table(tmp_path / "t.npz", None)
    np.savez(tmp_path / "t.npz", X=np.array([[{}]], dtype=object), y=np.ones(1))
    with pytest.raises(TableError, match=r"numpy\.savez"):
        read_table(tmp_path / "t.npz", None)
    np.savez(tmp_path / "t.npz", X=np.eye(3), y=np.ones(3))
    with pytest.raises(TableError, match="has 3 inputs"):
        list(array_blocks(open_table(tmp_path / "t.npz"), 2))
    with pytest.raises(TableError, match="Drop --target"):
        read_table(tmp_path / "t.npz", "y")


def test_folders_pipes_and_vanished_files_are_errors(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for name, words in {"": "folder", "gone.csv": "no file", "pipe.csv": "regular"}.items():
        with pytest.raises(TableError, match=words):
            open_table(tmp_path / name)


def test_nested_columns_are_refused_only_where_they_are_needed(tmp_path):
    table = pa.table({"a": [1.0, 2.0], "nested": [[1], [2]], "y": [0, 1]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableError, match="'nested' holds list"):
        read_table(tmp_path / "t.parquet", "y")
    (block,) = named_blocks(open_table(tmp_path / "t.parquet"), {"a": "number"})
    assert block.X["a"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
def test_names_that_are_no_text_are_an_error(tmp_path, suffix):
    path = write(tmp_path, suffix)
    path.write_bytes(path.read_bytes().replace(b"number", b"\xff" * 6))
    with pytest.raises(TableError, match="not UTF-8"):
        open_table(path)


def test_a_value_that_is_no_number_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\nlots\n")
    with pytest.raises(TableError, match=r"Column 'a' should hold a number.*lots"):
        list(named_blocks(open_table(tmp_path / "t.csv"), {"a": "number"}))


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    str.strip
)
cells = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(str),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.just(""),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_csv_comes_back_as_it_was_written(tmp_path, data):
    """Whatever names and texts a well-formed file holds, all rows and columns arrive."""
    header = data.draw(st.lists(names, min_size=2, max_size=4, unique=True))
    n_rows = data.draw(st.integers(1, 5))
    rows = [[data.draw(cells) for _ in header[:-1]] + [str(n)] for n in range(n_rows)]
    path = tmp_path / "t.csv"
    pd.DataFrame(rows, columns=header).to_csv(path, index=False, lineterminator="\n")
    X, y = read_table(path, header[-1])
    assert y.tolist() == list(range(n_rows))
    assert list(X.columns) == header[:-1]
    assert len(X) == n_rows
    for position, name in enumerate(header[:-1]):
        if X[name].dtype.kind in "OU" or str(X[name].dtype) == "str":
            written = [row[position] for row in rows]
            found = X[name].fillna("").tolist()
            nulls = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "n/a", "-NaN", "-nan"}
            assert all(
                a == b or (b == "" and a in nulls) for a, b in zip(written, found, strict=True)
            )


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    content=st.binary(max_size=200)
    | st.text(alphabet='a,;"\n\r\t1.x:é ', max_size=80).map(str.encode),
    suffix=st.sampled_from([".csv", ".tsv", ".csv.gz", ".svm", ".npz", ".parquet", ".feather"]),
)
def test_any_bytes_give_a_table_or_a_table_error(tmp_path, content, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(TableError):
        table = open_table(path)
        target = None if table.names is None else (table.names or ["y"])[-1]
        X, y = read_table(path, target)
        assert X.shape[0] == len(y)
