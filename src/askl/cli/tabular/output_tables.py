"""Tables as output: CSV, Parquet and Arrow, written block by block."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from csv import writer as csv_lines
from pathlib import Path
from typing import IO, Any, TypeAlias

from askl._typing import Array
from askl.cli.files import STANDARD_OUTPUT, require
from askl.cli.tabular.columns import kind_of
from askl.errors import AsklError
from askl.persistence import replacing

Columns: TypeAlias = dict[str, Array]
Write: TypeAlias = Callable[[Columns], None]


@contextmanager
def open_output(path: Path, *, quotes: bool = True) -> Iterator[Write]:
    """Yield a function that writes columns; the file appears under its name once it is complete."""
    if path == STANDARD_OUTPUT:
        with _writer(sys.stdout.buffer, ".csv", quotes) as write:
            yield write
        return
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise AsklError(
            f"The output {str(path)!r} should end in one of {', '.join(WRITERS)}, or be - for "
            "standard output."
        )
    with (
        replacing(path) as temporary,
        temporary.open("wb") as file,
        _writer(file, suffix, quotes) as write,
    ):
        yield write


@contextmanager
def _writer(file: IO[bytes], suffix: str, quotes: bool) -> Iterator[Write]:
    """Yield a function that writes columns; the first ones decide their types."""
    pa = require("pyarrow", "arrow")
    opened: list[Any] = []

    def write(columns: Columns) -> None:
        arrays = {name: pa.array(values) for name, values in columns.items()}
        batch = pa.RecordBatch.from_pydict(arrays)
        if not opened:
            opened.append(WRITERS[suffix](file, batch.schema, quotes))
        opened[0].write_batch(batch)

    try:
        yield write
    finally:
        for writer in opened:
            writer.close()


def _csv_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    csv = require("pyarrow.csv", "arrow")
    style = "needed" if quotes else "none"
    options = csv.WriteOptions(quoting_style=style, include_header=False)
    header = io.StringIO()
    csv_lines(header, lineterminator="\n").writerow(schema.names)
    file.write(header.getvalue().encode())
    return csv.CSVWriter(file, schema, write_options=options)


def _parquet_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    # Predicted numbers hardly repeat: a dictionary of them would cost time and save nothing.
    texts = [field.name for field in schema if kind_of(field.type) == "text"]
    return require("pyarrow.parquet", "arrow").ParquetWriter(file, schema, use_dictionary=texts)


def _arrow_writer(file: IO[bytes], schema: Any, quotes: bool) -> Any:
    return require("pyarrow.ipc", "arrow").new_file(file, schema)


WRITERS: dict[str, Callable[[IO[bytes], Any, bool], Any]] = {
    ".csv": _csv_writer,
    ".parquet": _parquet_writer,
    ".arrow": _arrow_writer,
    ".feather": _arrow_writer,
}
