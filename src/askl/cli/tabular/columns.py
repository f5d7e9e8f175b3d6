"""Columns of an Arrow table as models take them: numbers, texts and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

import numpy as np

from askl._typing import Array
from askl.cli.files import require
from askl.cli.wording import first_line
from askl.errors import TableError

# What to read a column as. "any" and "label" keep its type; a label may be boolean.
Kind: TypeAlias = Literal["any", "number", "text", "time", "label"]


def kind_of(data_type: Any) -> Kind | None:
    """Return what an Arrow type holds; None for types that models cannot take."""
    types = require("pyarrow.types", "arrow")
    if types.is_dictionary(data_type):
        return kind_of(data_type.value_type)
    if types.is_string(data_type) or types.is_large_string(data_type):
        return "text"
    if types.is_timestamp(data_type) or types.is_date(data_type):
        return "time"
    numeric = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    if types.is_null(data_type) or any(test(data_type) for test in numeric):
        return "number"
    return None


def as_kind(column: Any, name: str, kind: Kind) -> Any:
    """Cast an Arrow column to the type of its kind, or raise and show a value that does not fit."""
    pa = require("pyarrow", "arrow")
    found = kind_of(column.type)
    if found is None:
        hint = " Save the file as UTF-8." if pa.types.is_binary(column.type) else ""
        raise TableError(
            f"Column {name!r} holds {column.type}, but numbers, texts, categories or dates are "
            f"needed. Leave it out or convert it.{hint}"
        )
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    wanted = found if kind in ("any", "label") else kind
    if pa.types.is_boolean(column.type) and (kind == "label" or wanted == "text"):
        return column if kind == "label" else column.cast(pa.string())
    try:
        return column.cast(_type_of(column.type, wanted))
    except pa.ArrowException as error:
        raise TableError(
            f"Column {name!r} should hold a {wanted}, as in the table the model was fitted to: "
            f"{first_line(error)}"
        ) from error


def _type_of(data_type: Any, kind: Kind) -> Any:
    """Return the type to cast to; floats and integers keep theirs."""
    pa = require("pyarrow", "arrow")
    types = pa.types
    if kind == "text":
        return pa.string()
    if kind == "time":
        return pa.timestamp("us")
    keeps = types.is_integer(data_type) or types.is_float32(data_type)
    return data_type if keeps else pa.float64()


def to_frame(columns: dict[str, Any]) -> Any:
    """Make a pandas table from Arrow columns."""
    require("pandas", "arrow")
    return require("pyarrow", "arrow").table(columns).to_pandas()


def to_labels(column: Any, name: str) -> Array:
    """Make an array from a target column; missing targets are NaN or None."""
    if kind_of(column.type) == "time":
        raise TableError(f"The target {name!r} holds dates. Turn them into numbers or labels.")
    values: Array = np.asarray(column.to_numpy(zero_copy_only=False))
    return values


def is_missing(labels: Array) -> Array:
    """Return True for each target that is missing."""
    if labels.dtype.kind == "f":
        return np.asarray(np.isnan(labels))
    if labels.dtype.kind == "O":
        return np.array([label is None or label != label for label in labels], dtype=bool)
    return np.zeros(labels.shape, dtype=bool)


def check_unique(names: Iterable[str], wanted: Iterable[str], path: Any) -> None:
    """Raise if the table has two columns of a name that is needed."""
    counts = Counter(names)
    twice = [repr(name) for name in wanted if counts[name] > 1]
    if twice:
        raise TableError(
            f"{path} has more than one column {', '.join(twice[:5])}. Rename or remove all but one."
        )


def no_column(name: str, names: list[str], path: Any) -> TableError:
    """Make the error for a missing column, with the names that are close to its own."""
    close = get_close_matches(name, names, n=3) or get_close_matches(
        name.strip().lower(), [other.strip().lower() for other in names], n=3
    )
    hint = f"Close names: {', '.join(map(repr, close))}." if close else _list(names)
    header = all(_is_number(other) for other in names)
    hint += " Is the first line missing, with the names of the columns?" if names and header else ""
    return TableError(f"{path} has no column {name!r}. {hint}")


def _list(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"It has {', '.join(map(repr, names[:10]))}{more}."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
