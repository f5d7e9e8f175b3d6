"""Models in files, and tables as they want them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from askl.cli.console import Screen
from askl.cli.files import check_file, require
from askl.cli.tabular.binary_tables import ArrayTable
from askl.cli.tabular.columns import Kind, check_unique, no_column
from askl.cli.tabular.problems import Problem
from askl.cli.tabular.tables import Block, NamedTable, Table, array_blocks, named_blocks
from askl.errors import TableError
from askl.estimators.base import SpectralModel
from askl.persistence import load, save


def load_model(screen: Screen, path: Path) -> Any:
    """Load a model from its file."""
    check_file(path)
    with screen.warnings():
        return load(path)


def save_model(model: Any, problem: Problem, path: Path) -> None:
    """Save a model, with what its columns hold and what it predicts, so that both are known."""
    kinds = {} if not hasattr(problem.X, "dtypes") else dict(problem.X.dtypes)
    model.column_kinds_ = {str(name): _kind(data_type) for name, data_type in kinds.items()}
    model.target_name_ = problem.target
    save(model, path)


def _kind(data_type: Any) -> Kind:
    """Say what a pandas column holds."""
    if data_type.kind == "M":
        return "time"
    return "number" if data_type.kind in "iufb" else "text"


def input_kinds(model: Any, names: list[str]) -> dict[str, Kind]:
    """Say what each input of a model holds; models saved elsewhere may not know."""
    default: Kind = "number" if isinstance(model, SpectralModel) else "any"
    known = getattr(model, "column_kinds_", {})
    return {name: known.get(name, default) for name in names}


def input_names(model: Any) -> list[str] | None:
    """Return the names of a model's inputs; None where it knows their positions only."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def target_kind(model: Any) -> Kind:
    """Say what the targets of a model are to be read as."""
    kind = getattr(model, "classes_", None)
    if kind is None or kind.dtype.kind in "iuf":
        return "number"
    return "label" if kind.dtype.kind == "b" else "text"


def blocks_for(
    screen: Screen, model: Any, table: Table, target: str | None = None
) -> Iterator[Block]:
    """Yield a table's rows in blocks, with the columns a model was fitted to, by their names."""
    names = input_names(model)
    if isinstance(table, ArrayTable):
        for X, y in array_blocks(table, int(model.n_features_in_)):
            yield Block(_with_names(X, names), y)
        return
    if target is not None and target not in table.names:
        raise no_column(target, table.names, table.path)
    wanted = _by_position(model, table, target) if names is None else names
    for name in wanted:
        if name not in table.names:
            raise _missing(wanted, table)
    kinds = input_kinds(model, wanted) if names else dict.fromkeys(wanted, _NUMBER)
    if target is not None:
        kinds[target] = target_kind(model)
    ignored = [name for name in table.names if name not in kinds]
    if ignored:
        more = "" if len(ignored) <= 5 else f" and {len(ignored) - 5} more"
        screen.note(f"Ignored: {', '.join(map(repr, ignored[:5]))}{more}, not in the model.")
    check_unique(table.names, kinds, table.path)
    for X, y in named_blocks(table, kinds, target):
        yield Block(X if names else X.to_numpy(), y)


_NUMBER: Kind = "number"


def _missing(wanted: list[str], table: NamedTable) -> TableError:
    absent = [name for name in wanted if name not in table.names]
    message = str(no_column(absent[0], table.names, table.path))
    more = f" {len(absent) - 1} more are missing: {', '.join(map(repr, absent[1:6]))}."
    return TableError(message + (more if len(absent) > 1 else ""))


def _by_position(model: Any, table: NamedTable, target: str | None) -> list[str]:
    """Return all columns, for a model that was fitted to arrays."""
    names = [name for name in table.names if name != target]
    if len(names) != model.n_features_in_:
        raise TableError(
            f"The model knows its {model.n_features_in_} inputs by position only, but "
            f"{table.path} has {len(names)} columns. Leave out what is not an input."
        )
    return names


def _with_names(X: Any, names: list[str] | None) -> Any:
    """Name the columns of an array as the model knows them; a sparse matrix has none."""
    if names is None or hasattr(X, "tocsr"):
        return X
    return require("pandas", "arrow").DataFrame(X, columns=names)
