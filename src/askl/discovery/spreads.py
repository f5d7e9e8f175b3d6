"""Mean and standard deviation of similarly distributed columns, row by row, as new columns.

Examples of such columns are the pixels around a point, sensors of the same make, and readings one
after the other. Rows may differ in how much these columns vary within the row. A kernel of many
columns has to learn that from all the ways in which they can vary; with the standard deviation as a
column of its own, it is a smooth function of one column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted

from askl._typing import Array
from askl.discovery.appending_encoder import AppendingEncoder, Group
from askl.discovery.distributions import group_columns
from askl.discovery.probe import cross_validated_residuals
from askl.preprocessing.column_orders import Order, interleave_columns
from askl.preprocessing.input_scaling import fit_scaling
from askl.preprocessing.parameter_table import (
    INPUT_ATTRIBUTES,
    documented,
    parameter,
)
from askl.preprocessing.parameter_validation import integer, real

# The standard deviations must improve predictions of held-out rows by this many standard errors.
# That is tested on this many rows at most, in this many folds.
LEAST_ERRORS = 2.0
MOST_ROWS = 3000
N_FOLDS = 3


@documented(INPUT_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class SpreadEncoder(AppendingEncoder):
    """Append the mean and the standard deviation of similarly distributed columns.

    Columns are grouped by the distributions of their values. With the standard deviations of all
    groups, a small smooth model must predict held-out rows better than without. If it does, each
    group gets two new columns: the mean and the standard deviation (the spread) of its columns, row
    by row, after all of them were scaled in the same way.

    Attributes
    ----------
    groups_ : list of tuple of int
        The columns of each group; there may be none.
    gain_ : float
        Share of the small model's squared error by which the standard deviations of all groups
        reduce it, also where it is too small for them to be taken; zero where there are no groups.

    Examples
    --------
    Readings of six similar sensors, which vary more in some rows than in others:

    >>> import numpy as np
    >>> from askl import SpreadEncoder
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(2, size=1000)
    >>> X = random.normal(size=(1000, 1)) + random.normal(size=(1000, 6)) * (1.0 + y[:, None])
    >>> SpreadEncoder(random_state=0).fit(X, y).groups_
    [(0, 1, 2, 3, 4, 5)]
    """

    least_columns: int = parameter(3, integer(2), "A group has at least this many columns.")
    least_gain: float = parameter(
        0.02,
        real(0.0),
        "Share of the small model's squared error by which the standard deviations must reduce it.",
    )

    def fit(self, X: Any, y: Any) -> SpreadEncoder:
        """Group the columns, and test whether the standard deviations improve predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers. Classes are one-hot encoded.

        Returns
        -------
        SpreadEncoder
            The fitted encoder.
        """
        X, targets, random = self._check_training_table(X, y)
        groups = group_columns(X[:, : self.n_columns], self.least_columns)
        # All columns of a group have the same scale: their spread is zero where they are equal.
        pooled = np.array(X)
        for group in groups:
            pooled[:, group] = interleave_columns(X, np.array(group))[:, None]
        self.scaling_ = fit_scaling(pooled, "standard")
        self.groups_: list[Group] = []
        self.gain_ = 0.0
        if groups:
            rows = random.permutation(len(X))[:MOST_ROWS]
            _, spreads = self._means_and_spreads(X[rows], groups)
            self.gain_, is_significant = _gain(X[rows], spreads, targets[rows])
            if is_significant and self.gain_ >= self.least_gain:
                self.groups_ = groups
        return self

    def _new_columns(self, X: Array) -> tuple[Array, ...]:
        return self._means_and_spreads(X, self.groups_) if self.groups_ else ()

    def _describe(self, names: list[str]) -> list[tuple[str, Group]]:
        return [
            (f"{what} of {names[group[0]]} to {names[group[-1]]}", group)
            for what in ("mean", "spread")
            for group in self.groups_
        ]

    def extend(self, order: Order) -> Order | None:
        """Extend an order of the input columns to the appended ones.

        Parameters
        ----------
        order : tuple of int
            The position that each column is taken from.

        Returns
        -------
        tuple of int, or None
            None where the order takes columns of a group from several groups.
        """
        check_is_fitted(self)
        return extend_order(order, self.groups_)

    def _means_and_spreads(self, X: Array, groups: list[Group]) -> tuple[Array, Array]:
        """Return the mean and the standard deviation of each group in each row.

        Rounded to single precision, so that sums of the same numbers in another order are equal,
        which matters where ranks of them are taken.
        """
        scaled = self.scaling_.apply(X).astype(np.float64)
        parts = [scaled[:, group] for group in groups]
        means = np.stack([part.mean(axis=1) for part in parts], axis=1)
        spreads = np.stack([part.std(axis=1) for part in parts], axis=1)
        return _rounded(means), _rounded(spreads)


def extend_order(order: Order, groups: Sequence[Group]) -> Order | None:
    """Extend an order of columns to a mean and a standard deviation for each group of them.

    Parameters
    ----------
    order : tuple of int
        The position that each column is taken from.
    groups : sequence of tuple of int

    Returns
    -------
    tuple of int, or None
        None where the order takes columns of a group from several groups.

    Examples
    --------
    >>> extend_order((3, 4, 5, 0, 1, 2), [(0, 1, 2), (3, 4, 5)])
    (3, 4, 5, 0, 1, 2, 7, 6, 9, 8)
    """
    sets = [frozenset(group) for group in groups]
    taken = [frozenset(order[column] for column in group) for group in groups]
    if not set(taken) <= set(sets):
        return None
    sources = [sets.index(group) for group in taken]
    first_mean, first_spread = len(order), len(order) + len(groups)
    return (
        *order,
        *(first_mean + source for source in sources),
        *(first_spread + source for source in sources),
    )


def _gain(X: Array, spreads: Array, targets: Array) -> tuple[float, bool]:
    """Return the share of the small model's error that spreads save, and if that is significant.

    Only the spreads are tested: the model can compute the means from the columns by itself.
    """
    folds = KFold(N_FOLDS)  # the rows are in random order
    without = np.square(cross_validated_residuals(X, targets, folds)).sum(axis=1)
    residuals = cross_validated_residuals(np.hstack([X, spreads]), targets, folds)
    saved = without - np.square(residuals).sum(axis=1)
    error = float(without.mean())
    gain = float(saved.mean()) / error if error > 0.0 else 0.0
    chance = LEAST_ERRORS * float(saved.std()) / np.sqrt(len(saved))
    return gain, bool(saved.mean() > chance)


def _rounded(numbers: Array) -> Array:
    return numbers.astype(np.float32).astype(np.float64)
