"""What turns a table into the numbers that members take: a list of fitted encoders.

A new encoder is a file with its class and a row in :data:`ENCODERS`. It has ``fit_transform(X, y)``
with a constructor that takes ``n_columns`` and ``random_state``, ``transform``,
``get_feature_names_out``, ``source_columns`` and ``extend``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from askl._typing import Array
from askl.auto.settings import SearchSettings
from askl.discovery.symmetry_search import find_symmetries
from askl.preprocessing.column_orders import Order
from askl.preprocessing.frames import is_frame
from askl.preprocessing.table_encoder import TableEncoder
from askl.preprocessing.validation import drop_zero_weights


class EncoderRow(NamedTuple):
    """The module of an encoder, and when it is fitted.

    Attributes
    ----------
    module : str
    extends_symmetries : bool
        Whether it is fitted after the search for symmetries. Its ``extend`` then returns the order
        of its columns for an order of its inputs; None if there is no such order.
    """

    module: str
    extends_symmetries: bool = False


# Encoders that append columns, in their order; one that finds nothing to append is left out.
ENCODERS: dict[str, EncoderRow] = {
    "NeighbourEncoder": EncoderRow("askl.discovery.neighbours"),
    "SpreadEncoder": EncoderRow("askl.discovery.spreads", extends_symmetries=True),
}


class Encoded(NamedTuple):
    """A table as numbers, and what made them."""

    X: Any
    encoders: list[Any]
    symmetries: list[Order]


class Discovery(NamedTuple):
    """What to look for in the columns of a table.

    Attributes
    ----------
    n_classes : int
        Zero where targets are numbers.
    seed : int
    for_encoders : bool
        Whether there is time to look for columns to append.
    for_symmetries : bool
    """

    n_classes: int
    seed: int
    for_encoders: bool
    for_symmetries: bool


def encode_table(
    X: Any, targets: Array, sample_weight: Array | None
) -> tuple[TableEncoder | None, Any, Array, Array | None]:
    """Turn a table into numbers, where it is not one of finite numbers; drop rows of no weight."""
    is_table = is_frame(X) or X.dtype == object
    table = None
    if is_table or (not issparse(X) and not np.isfinite(X).all()):
        # Whatever scikit-learn is set to, members take arrays.
        table = TableEncoder().set_output(transform="default")
        X = table.fit_transform(X, targets)
    return table, *drop_zero_weights(X, targets, sample_weight)


def discover(
    X: Any,
    targets: Array,
    table: TableEncoder | None,
    plan: Discovery,
    settings: SearchSettings,
) -> Encoded:
    """Fit the encoders that append columns, and find the symmetries of all columns."""
    n_classes, is_dense = plan.n_classes, not issparse(X)
    looks = plan.for_encoders and is_dense and n_classes <= settings.most_classes_to_discover
    numbers = np.eye(n_classes)[targets] if looks and n_classes else targets
    # Mean targets of categories, the last columns, would leak the target, as they are cross-fitted.
    n_columns = X.shape[1] - (0 if table is None else table.n_target_columns_)
    encoders: list[Any] = [] if table is None else [table]

    def append(names: Iterable[str]) -> None:
        nonlocal X
        for name in names if looks else ():
            kind = find_encoder(name)
            encoder = kind(n_columns=n_columns, random_state=plan.seed)
            encoder.set_output(transform="default")
            extended = encoder.fit_transform(X, numbers)
            if extended.shape[1] > X.shape[1]:
                encoders.append(encoder)
                X = extended

    append(name for name, row in ENCODERS.items() if not row.extends_symmetries)
    symmetries = _find_symmetries(X, targets, n_classes, settings) if plan.for_symmetries else []
    n_before = len(encoders)
    append(name for name, row in ENCODERS.items() if row.extends_symmetries)
    return Encoded(X, encoders, extend_symmetries(symmetries, encoders[n_before:]))


def find_encoder(name: str) -> Any:
    """Import the class of an encoder of the table above."""
    return getattr(import_module(ENCODERS[name].module), name)


def extend_symmetries(symmetries: Sequence[Order], encoders: Iterable[Any]) -> list[Order]:
    """Extend orders of the columns by those that some encoders append; drop what they cannot."""
    for encoder in encoders:
        extended = map(encoder.extend, symmetries)
        symmetries = [order for order in extended if order is not None]
    return list(symmetries)


def _find_symmetries(
    X: Any, targets: Array, n_classes: int, settings: SearchSettings
) -> list[Order]:
    """Find exchangeable columns; none where they are few."""
    if issparse(X):
        return []
    found = find_symmetries(X, targets, task="classification" if n_classes else "regression")
    movable = np.any([np.arange(X.shape[1]) != order for order in found], axis=0)
    return found if np.mean(movable) >= settings.least_symmetric_share else []
