"""How far columns of one kind are apart: their mean and spread, row by row, as new columns.

The pixels around a point, sensors of one make, readings one after the other: what tells rows apart
may be how much such columns differ within a row. A kernel of many columns has to learn that from
all ways in which they can; said in a column of its own, it is a smooth function of one.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from askl._typing import Array
from askl.discovery.probe import cross_validated_residuals, ecdf_distance, has_two_values, is_varied
from askl.preprocessing.column_orders import Order, interleave_columns
from askl.preprocessing.input_scaling import fit_scaling
from askl.preprocessing.parameter_validation import (
    NONE,
    Constraint,
    check_parameters,
    integer,
    real,
)

# Distribution functions of columns of one kind differ by so much at most, and by so many
# deviations of chance.
TOLERANCE = 0.05
CHANCE = 3.0
# With fewer rows chance makes any columns alike; of more columns, no pairs are compared.
LEAST_ROWS = 100
MOST_COLUMNS = 200
# Spreads must say something about rows that were not seen: so many rows at most, in so many folds,
# so many standard errors more than nothing.
MOST_ROWS = 3000
N_FOLDS = 3
LEAST_ERRORS = 2.0


class SpreadEncoder(TransformerMixin, BaseEstimator):
    """Append the mean and the spread of columns of one kind, where that pays.

    Columns are of one kind if their values are distributed alike. Whether their spreads say
    something is asked of a small smooth model: with them, it must predict rows that it has not
    seen better than without. If it does, each kind has two new columns: the mean and the standard
    deviation of its columns, row by row, after all of them were brought to one scale.

    Parameters
    ----------
    n_columns : int or None, default=None
        How many of the first columns may be of a kind. None: all of them.
    least_columns : int, default=3
        How many columns there are of a kind at least.
    least_gain : float, default=0.02
        Share of the small model's squared error that the spreads must save.
    random_state : int, RandomState instance or None, default=None
        Decides the rows that are looked at, 3,000 at most.

    Attributes
    ----------
    groups_ : list of tuple of int
        The columns of each kind; there may be none.
    gain_ : float
        The share of the small model's squared error that the spreads of all kinds that were found
        save, taken or not; zero where there are none.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when X had string column names.

    Examples
    --------
    Readings of six like sensors, which differ more in some rows than in others:

    >>> import numpy as np
    >>> from askl import SpreadEncoder
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(2, size=1000)
    >>> X = random.normal(size=(1000, 1)) + random.normal(size=(1000, 6)) * (1.0 + y[:, None])
    >>> SpreadEncoder(random_state=0).fit(X, y).groups_
    [(0, 1, 2, 3, 4, 5)]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_columns": NONE | integer(0),
        "least_columns": integer(2),
        "least_gain": real(0.0),
    }

    def __init__(
        self,
        *,
        n_columns: int | None = None,
        least_columns: int = 3,
        least_gain: float = 0.02,
        random_state: Any = None,
    ) -> None:
        self.n_columns = n_columns
        self.least_columns = least_columns
        self.least_gain = least_gain
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> SpreadEncoder:
        """Find the columns of one kind, and ask whether their spreads pay.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers; of classes, a column of zeros and ones for each.

        Returns
        -------
        SpreadEncoder
            The fitted encoder.
        """
        check_parameters(self, self._constraints)
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        random = check_random_state(self.random_state)
        self.groups_ = self._find_kinds(X)
        # All columns of a kind have one scale: their spread is zero where their values are equal.
        mixed = np.array(X)
        for group in self.groups_:
            mixed[:, group] = interleave_columns(X, np.array(group))[:, None]
        self.scaling_ = fit_scaling(mixed, "standard")
        self.gain_ = 0.0
        if self.groups_:
            rows = random.permutation(len(X))[:MOST_ROWS]
            if not self._pays(X[rows], targets[rows]):
                self.groups_ = []
        return self

    def transform(self, X: Any) -> Array:
        """Append the means and spreads.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features + 2 * n_groups), float64
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        parts = self._summarize(X) if self.groups_ else ()
        return np.hstack([X, *parts])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the columns: those of the input, and the means and spreads of kinds.

        Parameters
        ----------
        input_features : array-like of str, optional

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = list(_check_feature_names_in(self, input_features))
        kinds = [f"{names[group[0]]} to {names[group[-1]]}" for group in self.groups_]
        new = [f"{what} of {kind}" for what in ("mean", "spread") for kind in kinds]
        return np.array(names + new, dtype=object)

    def source_columns(self) -> list[tuple[int, ...]]:
        """Return for each column of :meth:`transform` the columns of the input it is made of.

        Returns
        -------
        list of tuple of int
        """
        check_is_fitted(self)
        return [*((column,) for column in range(self.n_features_in_)), *self.groups_, *self.groups_]

    def extend(self, order: Order) -> Order | None:
        """Extend an order of the inputs to the new columns.

        Parameters
        ----------
        order : tuple of int
            Where each column is taken from.

        Returns
        -------
        tuple of int, or None
            None where the order does not take columns of one kind to columns of one kind.

        Examples
        --------
        >>> encoder = SpreadEncoder()
        >>> encoder.groups_ = [(0, 1, 2), (3, 4, 5)]
        >>> encoder.extend((3, 4, 5, 0, 1, 2))
        (3, 4, 5, 0, 1, 2, 7, 6, 9, 8)
        """
        groups = [frozenset(group) for group in self.groups_]
        taken = [frozenset(order[column] for column in group) for group in self.groups_]
        if not set(taken) <= set(groups):
            return None
        sources = [groups.index(group) for group in taken]
        at = len(order)
        return (
            *order,
            *(at + source for source in sources),
            *(at + len(groups) + source for source in sources),
        )

    def _find_kinds(self, X: Array) -> list[tuple[int, ...]]:
        """Group the columns, so that any two of a group are distributed alike."""
        X = X[:, : self.n_columns]
        if len(X) < LEAST_ROWS or not self.least_columns <= X.shape[1] <= MOST_COLUMNS:
            return []
        columns = np.flatnonzero(is_varied(X) & ~has_two_values(X))
        if len(columns) < self.least_columns:
            return []
        distances = squareform(ecdf_distance(X[:, columns]), checks=False)
        most = TOLERANCE + CHANCE * np.sqrt(0.5 / len(X))
        kinds = fcluster(linkage(distances, "complete"), most, "distance")
        groups = [tuple(columns[kinds == kind].tolist()) for kind in np.unique(kinds)]
        return sorted(group for group in groups if len(group) >= self.least_columns)

    def _summarize(self, X: Array) -> tuple[Array, ...]:
        """Return the mean and the standard deviation of each kind in each row.

        Rounded to single precision: ranks would tell sums of the same numbers in another order
        apart.
        """
        scaled = self.scaling_.apply(X).astype(np.float64)
        parts = [scaled[:, group] for group in self.groups_]
        means = np.stack([part.mean(axis=1) for part in parts], axis=1)
        spreads = np.stack([part.std(axis=1) for part in parts], axis=1)
        return tuple(each.astype(np.float32).astype(np.float64) for each in (means, spreads))

    def _pays(self, X: Array, targets: Array) -> bool:
        """Say whether a small smooth model is better for the spreads.

        Not for the means: those it can make of the columns by itself.
        """
        folds = KFold(N_FOLDS)  # the rows are in random order
        _, spreads = self._summarize(X)
        without = np.square(cross_validated_residuals(X, targets, folds)).sum(axis=1)
        saved = without - np.square(
            cross_validated_residuals(np.hstack([X, spreads]), targets, folds)
        ).sum(axis=1)
        error = float(without.mean())
        self.gain_ = float(saved.mean()) / error if error > 0.0 else 0.0
        chance = LEAST_ERRORS * float(saved.std()) / np.sqrt(len(saved))
        return bool(self.gain_ >= self.least_gain and saved.mean() > chance)
