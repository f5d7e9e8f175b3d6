"""Tables in text: CSV and TSV, compressed or not, in blocks of bounded size."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from askl.cli.files import require
from askl.cli.tabular.columns import Kind, kind_of
from askl.cli.tabular.limits import LIMITS, LimitedStream, Limits
from askl.cli.wording import first_line
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
        Known only when the whole file was read.
    """

    n_rows = None

    def __init__(
        self,
        path: Path,
        delimiter: str,
        compression: str | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> None:
        self.path, self.compression, self.limits = path, compression, limits
        self.delimiter = self._find_delimiter(delimiter)
        with self._reader() as reader:
            self._types = dict(zip(reader.schema.names, reader.schema.types, strict=True))
            self.names: list[str] = list(reader.schema.names)

    def batches(self, kinds: Mapping[str, Kind]) -> Iterator[Any]:
        """Yield record batches of some columns, in constant memory.

        Types come from the first block. Integers are read as floats, since later rows may hold
        fractions.
        """
        types = {name: _widened(self._types[name], kind) for name, kind in kinds.items()}
        with self._reader(types) as reader, self._readable():
            yield from reader

    def read(self, kinds: Mapping[str, Kind]) -> Any:
        """Read some columns as a whole; all rows decide their types."""
        csv = require("pyarrow.csv", "arrow")
        with self._readable(), self._stream(in_memory=True) as stream:
            return csv.read_csv(stream, *self._options(include_columns=list(kinds)))

    @contextmanager
    def _reader(self, types: Mapping[str, Any] | None = None) -> Iterator[Any]:
        csv = require("pyarrow.csv", "arrow")
        chosen = {} if types is None else {"include_columns": list(types), "column_types": types}
        with self._stream(in_memory=False) as stream:
            with self._readable():
                reader = csv.open_csv(stream, *self._options(**chosen))
                _ = reader.schema.names  # names that are not UTF-8 raise here
            with reader:
                yield reader

    def _options(self, **convert: Any) -> tuple[Any, Any, Any]:
        csv = require("pyarrow.csv", "arrow")
        return (
            # With threads, errors would not name their row.
            csv.ReadOptions(use_threads=False, block_size=self.limits.line_bytes),
            csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            csv.ConvertOptions(strings_can_be_null=True, **convert),
        )

    def _stream(self, *, in_memory: bool) -> io.RawIOBase:
        return LimitedStream(self.path, self.compression, in_memory=in_memory, limits=self.limits)

    def _readable(self) -> AbstractContextManager[None]:
        return readable(self.path, self.limits)

    def _find_delimiter(self, delimiter: str) -> str:
        """Return what separates the names in the first line; raise if it is not text."""
        with self._readable(), self._stream(in_memory=False) as stream:
            head = stream.read(_HEAD_BYTES) or b""
        if head.startswith(_WIDE_MARKS):
            raise TableError(f"{self.path} is in UTF-16. Save it as UTF-8.")
        if b"\0" in head:
            raise TableError(f"{self.path} is not text: it holds null bytes. Check its format.")
        header = next((line for line in head.splitlines() if line.strip()), b"")
        semicolons = delimiter == "," and b"," not in header and b";" in header
        return ";" if semicolons else delimiter


def _widened(data_type: Any, kind: Kind) -> Any:
    """Return the type to read a column as, from the type of its first rows."""
    pa = require("pyarrow", "arrow")
    if pa.types.is_boolean(data_type) and kind != "text":
        return data_type
    found = kind_of(data_type)
    if kind in ("number", "text", "time"):
        # Text instead of a number is read as text: the error shows the value that is not a number.
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
def readable(path: Path, limits: Limits = LIMITS) -> Iterator[None]:
    """Turn the errors of a reader into errors that name the file and what is wrong with it."""
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
        raise TableError(f"{path} cannot be read. {_explain(error, limits)}") from error


def _explain(error: BaseException, limits: Limits) -> str:
    message = first_line(error)
    if "straddl" in message:
        return (
            f"It has a line longer than {limits.line_bytes / 2**20:.3g} MB. "
            "Look for a quote that is never closed."
        )
    if "Empty CSV" in message:
        return "It holds no line of column names."
    if message.startswith("MemoryError"):
        return "It needs more memory than there is, or it is damaged."
    return message
