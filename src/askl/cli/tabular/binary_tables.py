"""Tables in binary: Parquet, Arrow and Feather by record batches; npz and svmlight as arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import vstack
from sklearn.datasets import load_svmlight_file

from askl._typing import Array
from askl.cli.files import require
from askl.cli.tabular.columns import Kind
from askl.cli.tabular.limits import LIMITS, LimitedStream, Limits
from askl.cli.tabular.text_tables import readable
from askl.cli.wording import first_line
from askl.errors import TableError


class ParquetTable:
    """A Parquet file."""

    def __init__(self, path: Path, *, limits: Limits = LIMITS) -> None:
        self.path, self.limits = path, limits
        with self._file() as file, readable(path):
            self.names: list[str] = list(file.schema_arrow.names)
            self.n_rows: int = file.metadata.num_rows

    def batches(self, kinds: Mapping[str, Kind]) -> Iterator[Any]:
        """Yield record batches of some columns."""
        with self._file() as file, readable(self.path):
            yield from file.iter_batches(
                self.limits.block_rows, columns=list(kinds), use_threads=False
            )

    @contextmanager
    def _file(self) -> Iterator[Any]:
        parquet = require("pyarrow.parquet", "arrow")
        with readable(self.path):
            # Read column chunks in small pieces, and only when they are needed.
            file = parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=2**20)
        with file:
            yield file


class ArrowTable:
    """An Arrow or Feather file, also as a stream of batches."""

    n_rows = None

    def __init__(self, path: Path, *, limits: Limits = LIMITS) -> None:
        self.path, self.limits = path, limits
        with self._reader() as reader, readable(path):
            self.names: list[str] = list(reader.schema.names)

    def batches(self, kinds: Mapping[str, Kind]) -> Iterator[Any]:
        """Yield record batches of some columns."""
        with self._reader() as reader, readable(self.path):
            positions = [self.names.index(name) for name in kinds]
            for batch in self._all(reader):
                # In a damaged file, offsets could point outside of it.
                batch.validate(full=True)
                yield batch.select(positions)

    def _all(self, reader: Any) -> Iterator[Any]:
        if hasattr(reader, "num_record_batches"):
            yield from (reader.get_batch(index) for index in range(reader.num_record_batches))
        else:
            yield from reader

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        ipc = require("pyarrow.ipc", "arrow")
        with self.path.open("rb") as file:
            is_file = file.read(6) == b"ARROW1"
            file.seek(0)
            with readable(self.path):
                reader = ipc.open_file(file) if is_file else ipc.open_stream(file)
            with reader:
                yield reader


class ArrayTable:
    """Rows without column names: the ``X`` and ``y`` of an npz file, or an svmlight file."""

    names = None

    def __init__(
        self,
        path: Path,
        *,
        svmlight: bool,
        compression: str | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        self.path, self.svmlight, self.compression = path, svmlight, compression
        self.limits = limits

    def arrays(self, n_columns: int | None) -> Iterator[tuple[Any, Array | None]]:
        """Yield (X, y) in blocks; y is None where there is none."""
        if self.svmlight:
            yield from self._svmlight_blocks(n_columns)
            return
        X, y = self._load_npz()
        for start in range(0, len(X), self.limits.block_rows):
            rows = slice(start, start + self.limits.block_rows)
            yield X[rows], None if y is None else y[rows]

    def read(self) -> tuple[Any, Array | None]:
        """Return all of X and y."""
        if not self.svmlight:
            return self._load_npz()
        blocks = []
        n_bytes = 0
        for X, y in self._svmlight_blocks(None):
            n_bytes += X.data.nbytes + X.indices.nbytes
            self.limits.check_memory(n_bytes, self.path)
            blocks.append((X, y))
        if not sum(X.shape[0] for X, _ in blocks):
            raise TableError(f"{self.path} has no rows.")
        width = max(X.shape[1] for X, _ in blocks)
        for X, _ in blocks:
            X.resize(X.shape[0], width)
        return vstack([X for X, _ in blocks], format="csr"), np.concatenate([y for _, y in blocks])

    def _load_npz(self) -> tuple[Array, Array | None]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                n_bytes = sum(entry.file_size for entry in archive.infolist())
                self.limits.check_memory(n_bytes, self.path)
            with np.load(self.path, allow_pickle=False) as arrays:
                X, y = arrays["X"], arrays.get("y")
        except TableError:
            raise
        except Exception as error:  # a damaged archive can raise many kinds
            raise TableError(
                f"{self.path} cannot be read: {first_line(error)} "
                "It should hold arrays X and y, saved by numpy.savez."
            ) from error
        if X.ndim != 2 or (y is not None and y.shape[:1] != X.shape[:1]):
            shapes = f"{X.shape} and {None if y is None else y.shape}"
            raise TableError(
                f"X and y in {self.path} should have shapes (n, d) and (n,). Got {shapes}."
            )
        return X, y

    def _svmlight_blocks(self, n_columns: int | None) -> Iterator[tuple[Any, Array]]:
        most = self.limits.line_bytes
        errors = readable(self.path, self.limits) if self.compression else nullcontext()
        stream = LimitedStream(self.path, self.compression, in_memory=False, limits=self.limits)
        with errors, stream as raw:
            rest = b""
            while chunk := raw.read(most):
                lines, newline, tail = chunk.rpartition(b"\n")
                if len(rest) + len(chunk) > 2 * most:
                    raise TableError(f"{self.path} has a line longer than {most / 2**20:.3g} MB.")
                if newline:
                    yield self._parse(rest + lines, n_columns)
                rest = tail if newline else rest + tail
            if rest.strip():
                yield self._parse(rest, n_columns)

    def _parse(self, text: bytes, n_columns: int | None) -> tuple[Any, Array]:
        try:
            # The format counts inputs from one; a guess from the data could differ between blocks.
            X, y = load_svmlight_file(io.BytesIO(text), n_features=n_columns, zero_based=False)
        except (ValueError, OverflowError, UnicodeDecodeError) as error:
            raise TableError(
                f"{self.path} cannot be read as svmlight: {first_line(error)} "
                "Lines should look like: label 1:0.5 7:2.25"
            ) from error
        return X, y
