"""The columns that a model takes, read from a table block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from askl.cli.console import Screen
from askl.cli.files import require
from askl.cli.models.saved_model import SavedModel
from askl.cli.tabular.binary_tables import ArrayTable
from askl.cli.tabular.columns import Kind, check_unique, is_missing, no_column
from askl.cli.tabular.tables import Block, NamedTable, Table, array_blocks, named_blocks
from askl.errors import AsklError, TableError
from askl.estimators.base import SpectralModel


def blocks_for(
    screen: Screen, saved: SavedModel, table: Table, target: str | None = None
) -> Iterator[Block]:
    """Yield a table's rows in blocks, with the columns that a model was fitted to, by name."""
    names = _input_names(saved.model)
    if isinstance(table, ArrayTable):
        for X, y in array_blocks(table, int(saved.model.n_features_in_)):
            yield Block(_with_names(X, names), y)
        return
    if target is not None and target not in table.names:
        raise no_column(target, table.names, table.path)
    kinds = _kinds_by_position(saved, table, target) if names is None else _kinds(saved, names)
    _check_all_there(list(kinds), table)
    if target is not None:
        kinds[target] = _target_kind(saved.model)
    _note_ignored(screen, kinds, table)
    check_unique(table.names, kinds, table.path)
    for X, y in named_blocks(table, kinds, target):
        yield Block(X if names else X.to_numpy(), y)


def choose_target(saved: SavedModel, table: Table, target: str | None) -> str | None:
    """Return the target that was named, or that of the fit; a table of arrays has its own."""
    if isinstance(table, ArrayTable):
        return None
    target = target or saved.target
    if target is None:
        raise AsklError(f"Which column of {table.path} is the target? Name it by --target.")
    return target


def with_target(block: Block, table: Table) -> Block:
    """Leave out rows whose target is missing."""
    if block.y is None:
        raise TableError(f"{table.path} holds no array y to compare with.")
    gaps = is_missing(block.y)
    if not gaps.any():
        return block
    kept = np.flatnonzero(~gaps)
    X = block.X.iloc[kept] if hasattr(block.X, "iloc") else block.X[kept]
    return Block(X, block.y[kept])


def _input_names(model: Any) -> list[str] | None:
    """Return the names of a model's inputs; None if it was fitted to arrays."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _kinds(saved: SavedModel, names: list[str]) -> dict[str, Kind]:
    """Return the kind of each input; plain models take numbers only."""
    default: Kind = "number" if isinstance(saved.model, SpectralModel) else "any"
    return {name: saved.kinds.get(name, default) for name in names}


def _kinds_by_position(saved: SavedModel, table: NamedTable, target: str | None) -> dict[str, Kind]:
    """Return all columns as numbers, for a model that was fitted to arrays."""
    names = [name for name in table.names if name != target]
    n_inputs = saved.model.n_features_in_
    if len(names) != n_inputs:
        raise TableError(
            f"The model was fitted to {n_inputs} columns without names, but {table.path} has "
            f"{len(names)} columns. Leave out those that are not inputs."
        )
    return dict.fromkeys(names, "number")


def _target_kind(model: Any) -> Kind:
    """Return what the targets of a model are to be read as."""
    classes = getattr(model, "classes_", None)
    if classes is None or classes.dtype.kind in "iuf":
        return "number"
    return "label" if classes.dtype.kind == "b" else "text"


def _check_all_there(wanted: list[str], table: NamedTable) -> None:
    absent = [name for name in wanted if name not in table.names]
    if absent:
        message = str(no_column(absent[0], table.names, table.path))
        others = ", ".join(map(repr, absent[1:6]))
        more = f" {len(absent) - 1} more are missing: {others}." if len(absent) > 1 else ""
        raise TableError(message + more)


def _note_ignored(screen: Screen, kinds: dict[str, Kind], table: NamedTable) -> None:
    ignored = [name for name in table.names if name not in kinds]
    if ignored:
        more = "" if len(ignored) <= 5 else f" and {len(ignored) - 5} more"
        shown = ", ".join(map(repr, ignored[:5]))
        screen.note(f"Ignored columns, which the model does not use: {shown}{more}.")


def _with_names(X: Any, names: list[str] | None) -> Any:
    """Give an array the column names that the model knows; a sparse matrix has none."""
    if names is None or hasattr(X, "tocsr"):
        return X
    return require("pandas", "arrow").DataFrame(X, columns=names)
