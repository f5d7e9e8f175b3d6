"""Tables from files of all formats: as a whole, or in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from scipy.sparse import issparse

from askl._typing import Array
from askl.cli.files import check_file, require
from askl.cli.tabular.binary_tables import ArrayTable, ArrowTable, ParquetTable
from askl.cli.tabular.columns import Kind, as_kind, check_unique, no_column, to_frame, to_labels
from askl.cli.tabular.limits import LIMITS, Limits
from askl.cli.tabular.text_tables import TextTable
from askl.errors import TableError

NamedTable: TypeAlias = TextTable | ParquetTable | ArrowTable
Table: TypeAlias = NamedTable | ArrayTable

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SVMLIGHT = (".svm", ".svmlight", ".libsvm")
BINARY: dict[str, type[ParquetTable] | type[ArrowTable]] = {
    ".parquet": ParquetTable,
    ".pq": ParquetTable,
    ".arrow": ArrowTable,
    ".feather": ArrowTable,
    ".ipc": ArrowTable,
}


class Block(NamedTuple):
    """Some rows: a pandas table, an array or a sparse matrix, and their targets if asked for."""

    X: Any
    y: Array | None


def open_table(path: Path, *, limits: Limits = LIMITS) -> Table:
    r"""Open a table by its suffix, and read the names of its columns only.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("a,b\n1,x\n2,y\n")
    ...     open_table(path).names
    ['a', 'b']
    """
    check_file(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    suffix = "".join(suffixes[-2:-1] if compression else suffixes[-1:])
    if suffix in DELIMITERS:
        return TextTable(path, DELIMITERS[suffix], compression, limits=limits)
    if suffix in SVMLIGHT:
        return ArrayTable(path, svmlight=True, compression=compression, limits=limits)
    if suffix in BINARY and not compression:
        return BINARY[suffix](path, limits=limits)
    if suffix == ".npz" and not compression:
        return ArrayTable(path, svmlight=False, limits=limits)
    known = ", ".join([*DELIMITERS, *SVMLIGHT, *BINARY, ".npz"])
    raise TableError(
        f"The suffix of {str(path)!r} is not that of a known format. Known are {known}, and .gz or "
        ".zst after those of text."
    )


def read_table(path: Path, target: str | None, *, limits: Limits = LIMITS) -> Block:
    """Read all of a table, to fit a model to it: inputs and target.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column to predict; for npz and svmlight files None, as they hold a target of their own.
    limits : Limits
    """
    table = open_table(path, limits=limits)
    if isinstance(table, ArrayTable):
        if target is not None:
            raise TableError(f"{path} has no column names and its own target. Drop --target.")
        X, y = table.read()
        if y is None:
            raise TableError(f"{path} holds no array y to predict. Save one beside X.")
        return Block(X, y)
    kinds = _inputs(table, target)
    inputs = _columns(_read_whole(table, kinds), kinds)
    n_rows = len(next(iter(inputs.values())))
    if n_rows == 0:
        raise TableError(f"{path} has column names but no rows.")
    y = None if target is None else to_labels(inputs.pop(target), target)
    return Block(to_frame(inputs), y)


def count_unnamed(table: Table) -> int:
    """Count the columns without a name, which no model can use."""
    return 0 if table.names is None else sum(not name.strip() for name in table.names)


def _inputs(table: NamedTable, target: str | None) -> dict[str, Kind]:
    if target is None:
        raise TableError(
            f"Which column of {table.path} should be predicted? Name it by --target. "
            f"It has {', '.join(map(repr, table.names[:10]))}."
        )
    names = [name for name in table.names if name.strip()]
    if target not in names:
        raise no_column(target, names, table.path)
    check_unique(names, names, table.path)
    if len(names) < 2:
        raise TableError(f"{table.path} has no column beside the target {target!r}.")
    return {name: "label" if name == target else "any" for name in names}


def _read_whole(table: NamedTable, kinds: Mapping[str, Kind]) -> Any:
    if isinstance(table, TextTable):
        return table.read(kinds)
    batches, n_bytes = [], 0
    for batch in table.batches(kinds):
        n_bytes += batch.nbytes
        table.limits.check_memory(n_bytes, table.path)
        batches.append(batch)
    if not batches:
        raise TableError(f"{table.path} has column names but no rows.")
    return require("pyarrow", "arrow").Table.from_batches(batches)


def _columns(rows: Any, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    return {name: as_kind(rows.column(name), name, kind) for name, kind in kinds.items()}


def named_blocks(
    table: NamedTable, kinds: Mapping[str, Kind], target: str | None = None
) -> Iterator[Block]:
    """Yield blocks of the given columns, in their order, each read as its kind.

    The target is one of them; it is no input.
    """
    check_unique(table.names, kinds, table.path)
    for batch in table.batches(kinds):
        for start in range(0, batch.num_rows, table.limits.block_rows):
            columns = _columns(batch.slice(start, table.limits.block_rows), kinds)
            y = None if target is None else to_labels(columns.pop(target), target)
            yield Block(to_frame(columns), y)


def array_blocks(table: ArrayTable, n_columns: int) -> Iterator[Block]:
    """Yield blocks of a table without names, with as many columns as the model has inputs."""
    for X, y in table.arrays(n_columns if table.svmlight else None):
        if X.shape[1] != n_columns:
            raise TableError(
                f"{table.path} has {X.shape[1]} inputs, but the model was fitted to {n_columns}."
            )
        yield Block(X if issparse(X) else X.reshape(len(X), -1), y)
