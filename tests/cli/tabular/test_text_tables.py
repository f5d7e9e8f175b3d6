"""CSV and TSV: delimiters, compression, and types of blocks."""

from __future__ import annotations

import pytest

from askl.cli.tabular.limits import Limits
from askl.cli.tabular.text_tables import TextTable
from askl.errors import TableError


def make(tmp_path, text, delimiter=",", **options):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    return TextTable(path, delimiter, **options)


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("a,b\n1,2\n", ",", ["a", "b"]),
        ("a;b\n1;2\n", ",", ["a", "b"]),
        ("a;b,c\n1,2\n", ",", ["a;b", "c"]),
        ("\n\na;b\n1;2\n", ",", ["a", "b"]),
        ("a;b\tc\n1\t2\n", "\t", ["a;b", "c"]),
    ],
)
def test_the_first_line_decides_the_delimiter_of_a_csv_file(tmp_path, text, delimiter, names):
    assert make(tmp_path, text, delimiter).names == names


def test_blocks_have_the_type_of_their_kind_from_the_first_row_on(tmp_path):
    table = make(tmp_path, "a,b\n" + "1,2\n" * 30 + "1.5,x\n", limits=Limits(line_bytes=64))
    batches = list(table.batches({"a": "number", "b": "text"}))
    assert len(batches) > 1
    assert {str(batch.schema.field("a").type) for batch in batches} == {"double"}
    assert batches[-1].column("b").to_pylist()[-1] == "x"


def test_a_line_longer_than_the_limit_is_named(tmp_path):
    table = make(tmp_path, "a\n" + "1\n" * 4 + '"' + "x" * 500 + "\n", limits=Limits(line_bytes=64))
    with pytest.raises(TableError, match=r"a line longer than 6.1e-05 MB.*quote that is never"):
        list(table.batches({"a": "text"}))
