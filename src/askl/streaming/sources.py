"""Rows from files or callables, a chunk at a time, for fits larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.frames import frame_names

Chunk = tuple[Array, Array]
FORMATS = {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".csv": "csv"}
# The size of a chunk: at most this many numbers and rows, but in wide tables at least a few rows.
CHUNK_NUMBERS = 2**20
CHUNK_ROWS = 2**16
LEAST_CHUNK_ROWS = 256


class Partitions(Protocol):
    """Rows with their targets, in partitions that can be read again and in any order."""

    @property
    def n_partitions(self) -> int:
        """How many partitions there are."""
        ...

    @property
    def feature_names(self) -> list[str] | None:
        """Names of the columns, where they have any."""
        ...

    def read(self, partition: int) -> Iterator[Chunk]:
        """Yield chunks of a partition: inputs (m, d) and targets (m,) or (m, n_outputs)."""
        ...


def open_source(source: Any, target: str | Sequence[str] | None) -> Partitions:
    """Open files or a callable as partitions.

    Parameters
    ----------
    source : path, pyarrow.dataset.Dataset, or callable
        A Parquet, Arrow or CSV file or a folder of them; or a callable that returns a fresh
        iterator of chunks, the same ones each time: pairs ``(X, y)``, or tables (pyarrow's or
        data frames) that hold the target.
    target : str or sequence of str, optional
        The column to predict, or several; needed wherever columns have names.

    Returns
    -------
    Partitions
    """
    if isinstance(source, (str, PathLike)):
        return DatasetPartitions(_open_dataset(Path(source)), target)
    if hasattr(source, "get_fragments"):
        return DatasetPartitions(source, target)
    if callable(source):
        return CallablePartitions(source, target)
    raise TableError(
        "The 'source' of fit_stream must be a path, a pyarrow dataset or a callable that returns "
        f"an iterator of chunks. Got {type(source).__name__} instead; give arrays to fit."
    )


def _open_dataset(path: Path) -> Any:
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise ImportError(
            "fit_stream reads files with pyarrow, which is not installed. "
            "Install it with pip install askl[arrow]."
        ) from error
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    formats = {FORMATS[file.suffix] for file in files if file.suffix in FORMATS}
    if not path.exists() or len(formats) != 1:
        found = f"files of {len(formats)} formats" if path.exists() else "nothing"
        raise TableError(
            f"There must be a file or a folder of files of one format at {str(path)!r}, with a "
            f"name that ends in one of {sorted(FORMATS)}. Found {found} instead."
        )
    return dataset.dataset(path, format=formats.pop(), partitioning="hive")


class DatasetPartitions:
    """The row groups of a pyarrow dataset; whole files, where the format has no row groups."""

    def __init__(self, dataset: Any, target: str | Sequence[str] | None) -> None:
        self.targets = _target_names(target, dataset.schema.names)
        self.one_target = isinstance(target, str)
        self.feature_names: list[str] | None = [
            name for name in dataset.schema.names if name not in self.targets
        ]
        self._dataset = dataset
        self._fragments = [
            part for fragment in dataset.get_fragments() for part in _row_groups(fragment)
        ]

    @property
    def n_partitions(self) -> int:
        """How many row groups there are."""
        return len(self._fragments)

    def read(self, partition: int) -> Iterator[Chunk]:
        """Yield chunks of a row group."""
        names = [*(self.feature_names or []), *self.targets]
        batches = self._fragments[partition].to_batches(
            schema=self._dataset.schema,
            columns=names,
            batch_size=_chunk_rows(len(names)),
            # One thread, little read ahead: memory stays constant, and the order too.
            use_threads=False,
            batch_readahead=1,
            fragment_readahead=1,
        )
        for batch in batches:
            if batch.num_rows:
                yield _split_table(batch, self.targets, one_target=self.one_target)


def _row_groups(fragment: Any) -> list[Any]:
    if not hasattr(fragment, "split_by_row_group"):
        return [fragment]
    groups: list[Any] = fragment.split_by_row_group()
    return groups


class CallablePartitions:
    """The chunks of a callable, as one partition: they are always read in the same order."""

    n_partitions = 1

    def __init__(
        self, source: Callable[[], Iterable[Any]], target: str | Sequence[str] | None
    ) -> None:
        self.source, self.one_target = source, isinstance(target, str)
        self.feature_names: list[str] | None = None
        self.targets: list[str] = []
        first = next(iter(source()), None)
        if first is not None and not isinstance(first, tuple):
            names = [str(name) for name in frame_names(first)]
            self.targets = _target_names(target, names)
            self.feature_names = [name for name in names if name not in self.targets]

    def read(self, partition: int) -> Iterator[Chunk]:
        """Yield the callable's chunks, the large ones in parts."""
        for item in self.source():
            if isinstance(item, tuple):
                X, y = (np.asarray(part) for part in item)
            else:
                X, y = _split_table(item, self.targets, one_target=self.one_target)
            if X.ndim != 2 or len(X) != len(y):
                raise TableError(
                    "A chunk of the source must be a pair (X, y) of as many rows, X of two "
                    f"dimensions. Got shapes {X.shape} and {y.shape} instead."
                )
            n_rows = _chunk_rows(max(1, X.shape[1]))
            for start in range(0, len(X), n_rows):
                yield X[start : start + n_rows], y[start : start + n_rows]


def _chunk_rows(n_columns: int) -> int:
    return max(LEAST_CHUNK_ROWS, min(CHUNK_ROWS, CHUNK_NUMBERS // n_columns))


def _target_names(target: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the names of the target columns, all of which must be there."""
    targets = [target] if isinstance(target, str) else list(target or [])
    missing = [name for name in targets if name not in names]
    if missing or not targets:
        raise TableError(
            f"The 'target' of fit_stream must name one of the columns {list(names)}, or several. "
            f"Got {target!r} instead."
        )
    return targets


def _split_table(table: Any, targets: list[str], *, one_target: bool) -> Chunk:
    columns = {str(name): np.asarray(table[name]) for name in frame_names(table)}
    chosen = [columns.pop(name) for name in targets]
    return _as_matrix(columns), chosen[0] if one_target else np.stack(chosen, axis=1)


def _as_matrix(columns: dict[str, Array]) -> Array:
    for name, column in columns.items():
        if column.dtype.kind not in "biuf":
            raise TableError(
                f"Column {name!r} holds values of type {column.dtype}, not numbers without gaps. "
                "Encode it as numbers and fill its gaps before the stream, or leave it out."
            )
    kind = np.result_type(*(column.dtype for column in columns.values()), np.float32)
    return np.stack(list(columns.values()), axis=1, dtype=kind)
