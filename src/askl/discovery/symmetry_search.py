"""The search for exchangeable columns: orders of the columns after which rows look the same.

Examples of such columns are the cards of a hand, the pixels around a point, and sensors of the same
make: what a row means does not depend on which of them comes first. A model need not learn that
from the data if it is trained on every row in all such orders
(:mod:`askl.estimators.symmetry_augmentation`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from askl._typing import Array
from askl.discovery.column_relations import ColumnRelations, compare_columns, standardize
from askl.discovery.probe import make_probe
from askl.preprocessing.column_orders import Order
from askl.preprocessing.validation import is_regression

# Numeric targets are divided into this many ranges with the same number of rows.
N_RANGES = 5
# With fewer rows, columns look similar by chance; with very many columns, some of them always do.
LEAST_ROWS = 500
MOST_COLUMNS = 200
# The columns are compared on this many rows at most, evenly from all rows.
MOST_ROWS = 50_000
# Steps of the search for one order, and of all searches together.
MOST_STEPS = 500
MOST_STEPS_IN_ALL = 2_000
# After reordering, the probe may explain less of held-out rows: by this share, and by this many
# standard errors. It is trained on this many rows at most.
MOST_LOST = 0.05
LEAST_ERRORS = 2.0
ROWS_TO_LEARN = 5_000


def find_symmetries(
    X: Any,
    y: Any,
    *,
    task: str = "auto",
    most_lost: float = MOST_LOST,
    most_steps: int = MOST_STEPS,
) -> list[Order]:
    """Find orders of the columns after which rows look the same, to each other and to the targets.

    Columns are exchangeable if they have the same distribution, also within every class as far as
    two moments show; if their products with all other columns have the same means, in every class;
    and if their partial correlations are the same, which distinguish columns that are nearly equal.
    Finally, a small smooth model must predict held-out rows about as well after the exchange.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Labels of classes, or numbers.
    task : {"auto", "classification", "regression"}, default="auto"
        What ``y`` is; ``"auto"`` decides by its values.
    most_lost : float, default=0.05
        Share of what the small model explains that it may lose by an exchange.
    most_steps : int, default=500
        Steps of the search for one order.

    Returns
    -------
    list of tuple of int
        For every column the position that it is taken from. Empty where there are no such orders,
        or with fewer than 500 rows or more than 200 columns.

    Examples
    --------
    Only the distance of the first two columns matters:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> find_symmetries(X, np.abs(X[:, 0] - X[:, 1]) + X[:, 2])
    [(1, 0, 2)]
    """
    X, y = check_X_y(X, y, dtype=np.float64, multi_output=True)
    if task == "auto":
        task = "regression" if is_regression(y) else "classification"
    n_samples, n_features = X.shape
    if n_samples < LEAST_ROWS or not 2 <= n_features <= MOST_COLUMNS:
        return []
    some = slice(None, None, -(-n_samples // MOST_ROWS))
    X, y = X[some], y[some]
    targets = standardize(y.reshape(len(y), -1)) if task == "regression" else _one_hot(y)
    relations = compare_columns(X, _ranges(targets) if task == "regression" else targets)
    pairs = np.argwhere(np.triu(relations.similar, 1)).tolist()
    if not pairs:
        return []
    judge = _Judge(X, targets, most_lost)
    found: list[Order] = []
    orbit = np.arange(n_features)  # the same number for columns that are known to be exchangeable
    n_steps = 0
    for position, column in pairs:
        if orbit[position] == orbit[column] or n_steps >= MOST_STEPS_IN_ALL:
            continue
        search = _Search(relations, most_steps)
        order = search.run(position, column)
        n_steps += search.n_steps
        if order is not None and judge.accepts(order):
            found.append(order)
            for here, there in enumerate(order):
                orbit[orbit == orbit[there]] = orbit[here]
    return found


def _one_hot(labels: Array) -> Array:
    names, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.eye(len(names))[codes])


def _ranges(targets: Array) -> Array:
    """Return the one-hot encoded range of each target, for several targets side by side."""
    levels = np.linspace(0.0, 1.0, N_RANGES + 1)[1:-1]
    return np.hstack(
        [
            np.eye(N_RANGES)[np.searchsorted(np.quantile(column, levels), column)]
            for column in targets.T
        ]
    )


class _Judge:
    """A fitted probe, and held-out rows on which orders are tested."""

    def __init__(self, X: Array, targets: Array, most_lost: float) -> None:
        targets = targets - targets.mean(axis=0)
        order = np.random.default_rng(0).permutation(len(X))
        rows, others = np.split(order, [min(ROWS_TO_LEARN, len(X) // 2)])
        others = others[:ROWS_TO_LEARN]
        self.model = make_probe().fit(X[rows], targets[rows])
        self.X, self.targets = X[others], targets[others]
        self.errors = self._errors(self.X)
        explained = np.square(self.targets).sum(axis=1).mean() - self.errors.mean()
        self.most_lost = most_lost * max(explained, 0.0)

    def accepts(self, order: Order) -> bool:
        """Return True if the probe predicts about as well after reordering."""
        lost = self._errors(self.X[:, order]) - self.errors
        chance = lost.std() / np.sqrt(len(lost))
        return bool(lost.mean() <= self.most_lost + LEAST_ERRORS * chance)

    def _errors(self, X: Array) -> Array:
        predictions = self.model.predict(X).reshape(self.targets.shape)
        return np.asarray(np.square(predictions - self.targets).sum(axis=1))


class _Search:
    """A depth-first search for an order that moves one column to another's position."""

    def __init__(self, relations: ColumnRelations, most_steps: int) -> None:
        self.relations, self.most_steps = relations, most_steps
        self.n_steps = 0

    def run(self, position: int, column: int) -> Order | None:
        """Find an order with the column at the position, None where there is none."""
        order = np.arange(len(self.relations.similar))
        order[[position, column]] = column, position
        if not self.relations.are_kept_by(order):
            possible = self.relations.restrict(self.relations.similar, position, column)
            found = self._fill(possible, set(order.tolist()) - {position})
            if found is None:
                return None
            order = found
        return tuple(order.tolist())

    def _fill(self, possible: Array, positions: set[int]) -> Array | None:
        """Fill positions; a column stays at its own where it can."""
        if not possible.any(axis=1).all():
            return None
        if not positions:
            order: Array = possible.argmax(axis=1)
            return order
        # First the position with the fewest possible columns.
        position = min(positions, key=lambda each: (possible[each].sum(), each))
        for column in sorted(np.flatnonzero(possible[position]), key=lambda each: each != position):
            self.n_steps += 1
            if self.n_steps > self.most_steps:
                return None
            restricted = self.relations.restrict(possible, position, int(column))
            found = self._fill(restricted, positions - {position})
            if found is not None:
                return found
        return None
