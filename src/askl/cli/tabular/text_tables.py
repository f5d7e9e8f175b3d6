"""Tables in text: CSV and TSV, plain or compressed, in blocks of bounded size."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from askl.cli.files import require
from askl.cli.tabular.columns import Kind, first_line, kind_of
from askl.cli.tabular.limits import LINE_BYTES, LimitedStream
from askl.errors import TableError

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 2**16


class TextTable:
    """A CSV or TSV file; the delimiter of a CSV file may be a semicolon.

    Attributes
    ----------
    names : list of str
        Of all columns, in order.
    n_rows : None
        Not known before the end.
    """

    n_rows = None

    def __init__(self, path: Path, delimiter: str, compression: str | None) -> None:
        self.path, self.compression = path, compression
        self.delimiter = self._find_delimiter(delimiter)
        with self._reader() as reader:
            self._types = dict(zip(reader.schema.names, reader.schema.types, strict=True))
            self.names: list[str] = list(reader.schema.names)

    def batches(self, kinds: Mapping[str, Kind]) -> Iterator[Any]:
        """Yield record batches of some columns, in constant memory.

        Types are those of the first block, widened: integers may turn out to be fractions.
        """
        types = {name: _widened(self._types[name], kind) for name, kind in kinds.items()}
        with self._reader(types) as reader, readable(self.path):
            yield from reader

    def read(self, kinds: Mapping[str, Kind]) -> Any:
        """Read some columns whole, their types told by all rows."""
        csv = require("pyarrow.csv", "arrow")
        with readable(self.path), self._stream(in_memory=True) as stream:
            return csv.read_csv(stream, *self._options(include_columns=list(kinds)))

    @contextmanager
    def _reader(self, types: Mapping[str, Any] | None = None) -> Iterator[Any]:
        csv = require("pyarrow.csv", "arrow")
        chosen = {} if types is None else {"include_columns": list(types), "column_types": types}
        with self._stream(in_memory=False) as stream:
            with readable(self.path):
                reader = csv.open_csv(stream, *self._options(**chosen))
                _ = reader.schema.names  # names that are no UTF-8 show here
            with reader:
                yield reader

    def _options(self, **convert: Any) -> tuple[Any, Any, Any]:
        csv = require("pyarrow.csv", "arrow")
        return (
            # Without threads errors name their row.
            csv.ReadOptions(use_threads=False, block_size=LINE_BYTES),
            csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            csv.ConvertOptions(strings_can_be_null=True, **convert),
        )

    def _stream(self, *, in_memory: bool) -> io.RawIOBase:
        return LimitedStream(self.path, self.compression, in_memory=in_memory)

    def _find_delimiter(self, delimiter: str) -> str:
        """Look at the first line: is it text, and what separates its names?"""
        with readable(self.path), self._stream(in_memory=False) as stream:
            head = stream.read(_HEAD_BYTES) or b""
        if head.startswith(_WIDE_MARKS):
            raise TableError(f"{self.path} is in UTF-16. Save it as UTF-8.")
        if b"\0" in head:
            raise TableError(f"{self.path} is not text: it holds null bytes. Check its format.")
        header = next((line for line in head.splitlines() if line.strip()), b"")
        semicolons = delimiter == "," and b"," not in header and b";" in header
        return ";" if semicolons else delimiter


def _widened(data_type: Any, kind: Kind) -> Any:
    """Return the type to read a column as, from the one its first rows have."""
    pa = require("pyarrow", "arrow")
    if pa.types.is_boolean(data_type) and kind != "text":
        return data_type
    found = kind_of(data_type)
    if kind in ("number", "text", "time"):
        # Text where a number is due is read as text: the value that is no number gets named.
        return _TYPES[kind]() if found in (kind, "number") or kind == "text" else pa.string()
    if pa.types.is_null(data_type):
        return pa.string()
    return _TYPES[found]() if found else data_type


_TYPES: dict[str, Any] = {
    "number": lambda: require("pyarrow", "arrow").float64(),
    "text": lambda: require("pyarrow", "arrow").string(),
    "time": lambda: require("pyarrow", "arrow").timestamp("us"),
}


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn a reader's errors into ones that say what is wrong with which file."""
    pa = require("pyarrow", "arrow")
    try:
        yield
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} has column names that are not UTF-8. Save it as UTF-8."
        ) from error
    except (pa.ArrowException, OSError, EOFError, MemoryError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | TableError):
            raise
        raise TableError(f"{path} cannot be read. {_explain(first_line(error))}") from error


def _explain(message: str) -> str:
    if "straddl" in message:
        return (
            f"It has a line longer than {LINE_BYTES // 2**20} MB. "
            "Look for a quote that is never closed."
        )
    if "Empty CSV" in message:
        return "It holds no line of column names."
    if message.startswith("MemoryError"):
        return "It asks for more memory than there is: it is damaged."
    return message
