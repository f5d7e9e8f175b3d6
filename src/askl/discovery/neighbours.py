"""What nearby rows are like: the targets around each row, in one or two columns, as new columns.

A kernel with a finite number of frequencies is smooth; where two columns say a place, such as
longitude and latitude, what matters changes from one street to the next, and where one says a time,
from one day to the next. Such groups of columns are found by looking at what a smooth model leaves
over: if near rows are left over alike, the group says more.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.spatial import cKDTree
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from askl._typing import Array
from askl.discovery.probe import cross_validated_residuals
from askl.preprocessing.input_scaling import fit_scaling
from askl.preprocessing.parameter_validation import (
    NONE,
    Constraint,
    check_parameters,
    integer,
    real,
)

# Of cross-fitting.
N_FOLDS = 5
# Groups are chosen on so many rows at most, and pairs from so many columns at most.
MOST_ROWS = 3000
MOST_COLUMNS = 10
# With fewer rows, or in columns of fewer values, there is no neighbourhood to speak of.
LEAST_ROWS = 500
LEAST_VALUES = 10
# On a line, more neighbours than these would blur what a smooth model does not know already.
NEIGHBOURS_ON_A_LINE = 3


class NeighbourEncoder(TransformerMixin, BaseEstimator):
    """Append the mean target of the nearest rows, in one or two columns where the near are alike.

    Of every column it is asked how much of what a small smooth model leaves over (its
    cross-validated residuals) the nearest rows explain. The best is taken if that is enough, then
    the next one. Of every pair it is asked how much they explain beyond what they do in one of
    the two columns. In training, no row is its own neighbour: targets are cross-fitted.

    Parameters
    ----------
    n_columns : int or None, default=None
        How many of the first columns may be of a group. None: all of them.
    n_neighbours : int, default=10
        Nearest places of each row; in one column, three of them at most. Rows at one place count
        as one neighbour, with their mean.
    max_groups : int, default=3
        Most columns and pairs of columns taken; 0 appends nothing.
    least_agreement : float, default=0.05
        Share of the residuals' variance that a column must explain, or a pair beyond what either
        of its columns explains alone.
    random_state : int, RandomState instance or None, default=None
        Decides the rows that choose, and the folds of cross-fitting.

    Attributes
    ----------
    groups_ : list of tuple of int
        What was taken, single columns first, then pairs, the best first; there may be none.
    agreements_ : list of float
        The share of the residuals' variance that each explains so, after those before it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when X had string column names.

    Examples
    --------
    A checkerboard, too fine for a small smooth model:

    >>> import numpy as np
    >>> from askl import NeighbourEncoder
    >>> X = np.random.default_rng(0).uniform(size=(2000, 3))
    >>> y = np.floor(X[:, [0, 2]] * 10).sum(axis=1) % 2
    >>> NeighbourEncoder(random_state=0).fit(X, y).groups_
    [(0, 2)]
    """

    _constraints: ClassVar[dict[str, Constraint]] = {
        "n_columns": NONE | integer(0),
        "n_neighbours": integer(1),
        "max_groups": integer(0),
        "least_agreement": real(0.0),
    }

    def __init__(
        self,
        *,
        n_columns: int | None = None,
        n_neighbours: int = 10,
        max_groups: int = 3,
        least_agreement: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.n_columns = n_columns
        self.n_neighbours = n_neighbours
        self.max_groups = max_groups
        self.least_agreement = least_agreement
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> NeighbourEncoder:
        """Choose the groups, and keep the rows' places and targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.

        Returns
        -------
        NeighbourEncoder
            The fitted encoder.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> Array:
        """Fit and transform; the targets of neighbours are cross-fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_features + n_groups * n_outputs), float64
        """
        check_parameters(self, self._constraints)
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        random = check_random_state(self.random_state)
        self.scaling_ = fit_scaling(X, "robust")
        scaled = self.scaling_.apply(X)
        self.groups_: list[tuple[int, ...]] = []
        self.agreements_: list[float] = []
        if len(X) >= LEAST_ROWS and self.max_groups:
            self._choose(X, scaled, targets, random)
        folds = KFold(N_FOLDS, shuffle=True, random_state=random.randint(2**31 - 1))
        around = [
            _cross_fit(scaled[:, group], targets, folds, self.n_nearest(group))
            for group in self.groups_
        ]
        known = [_merge(scaled[:, group], targets) for group in self.groups_]
        self.places_ = [places for places, _, _ in known]
        self.targets_ = [means for _, means, _ in known]
        self.counts_ = [counts for _, _, counts in known]
        return np.hstack([X, *around]) if around else X

    def transform(self, X: Any) -> Array:
        """Append the mean target of the nearest rows of those fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features + n_groups * n_outputs), float64
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        scaled = self.scaling_.apply(X)
        around = [
            _mean_around(scaled[:, group], *known, n_neighbours=self.n_nearest(group))
            for group, *known in zip(
                self.groups_, self.places_, self.targets_, self.counts_, strict=True
            )
        ]
        return np.hstack([X, *around]) if around else X

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name the columns: those of the input, and those in which targets nearby are averaged.

        Parameters
        ----------
        input_features : array-like of str, optional

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = list(_check_feature_names_in(self, input_features))
        for group, targets in zip(self.groups_, self.targets_, strict=True):
            n_outputs = targets.shape[1]
            endings = [f" {output}" for output in range(n_outputs)] if n_outputs > 1 else [""]
            near = ", ".join(names[column] for column in group)
            names += [f"target{ending} near {near}" for ending in endings]
        return np.array(names, dtype=object)

    def source_columns(self) -> list[tuple[int, ...]]:
        """Return for each column of :meth:`transform` the columns of the input it is made of.

        Returns
        -------
        list of tuple of int
        """
        check_is_fitted(self)
        sources: list[tuple[int, ...]] = [(column,) for column in range(self.n_features_in_)]
        for group, targets in zip(self.groups_, self.targets_, strict=True):
            sources += [group] * targets.shape[1]
        return sources

    def n_nearest(self, group: tuple[int, ...]) -> int:
        """Say how many places around a row count, in one column or two.

        Parameters
        ----------
        group : tuple of int
            The columns.

        Returns
        -------
        int
        """
        on_a_line = min(NEIGHBOURS_ON_A_LINE, self.n_neighbours)
        return on_a_line if len(group) == 1 else self.n_neighbours

    def _choose(
        self, X: Array, scaled: Array, targets: Array, random: np.random.RandomState
    ) -> None:
        """Take the columns and the pairs that explain the most of what a smooth model leaves."""
        rows = random.permutation(len(X))[:MOST_ROWS]
        folds = KFold(N_FOLDS)  # the rows are in random order
        residuals = cross_validated_residuals(X[rows], targets[rows], folds)
        points = scaled[rows, : self.n_columns]

        def explain(group: tuple[int, ...]) -> tuple[float, Array]:
            return _explain(points[:, group], residuals, folds, self.n_nearest(group))

        def take(candidates: list[tuple[int, ...]], alone: dict[int, float]) -> None:
            nonlocal residuals
            while candidates and len(self.groups_) < self.max_groups:
                tried = {group: explain(group) for group in candidates}
                gains = {
                    group: share - max(alone.get(column, 0.0) for column in group)
                    for group, (share, _) in tried.items()
                }
                # What says too little says no more once others have spoken.
                candidates = [group for group in candidates if gains[group] >= self.least_agreement]
                if candidates:
                    best = max(candidates, key=lambda group: gains[group])
                    candidates.remove(best)
                    self.groups_.append(best)
                    self.agreements_.append(gains[best])
                    residuals = tried[best][1]

        columns = [j for j in range(points.shape[1]) if _is_varied(points[:, j])]
        take([(column,) for column in columns], {})
        alone = {column: explain((column,))[0] for column in columns}
        # Of very many columns, those are paired that explain the most.
        best = sorted(columns, key=lambda column: -alone[column])[:MOST_COLUMNS]
        take(list(combinations(sorted(best), 2)), alone)


def _is_varied(column: Array) -> bool:
    return len(np.unique(column)) >= LEAST_VALUES


def _explain(
    points: Array, residuals: Array, folds: KFold, n_neighbours: int
) -> tuple[float, Array]:
    """Return the share of the residuals' variance that neighbours explain, and what they do not."""
    around = _cross_fit(points, residuals, folds, n_neighbours)
    together, alone = float((around * residuals).sum()), float((around**2).sum())
    slope = max(together, 0.0) / alone if alone > 0.0 else 0.0
    variance = float((residuals**2).sum())
    return slope * together / variance if variance > 0.0 else 0.0, residuals - slope * around


def _cross_fit(points: Array, targets: Array, folds: KFold, n_neighbours: int) -> Array:
    around = np.empty_like(targets)
    for others, rows in folds.split(points):
        known = _merge(points[others], targets[others])
        around[rows] = _mean_around(points[rows], *known, n_neighbours=n_neighbours)
    return around


def _merge(points: Array, targets: Array) -> tuple[Array, Array, Array]:
    """Return the distinct places, and the mean target and the number of rows at each."""
    order = np.lexsort(points.T)
    is_new = np.any(np.diff(points[order], axis=0) != 0.0, axis=1)
    first = np.concatenate([[0], np.flatnonzero(is_new) + 1])
    counts = np.diff(first, append=len(points))
    means = np.add.reduceat(targets[order], first, axis=0) / counts[:, None]
    return points[order[first]], means, counts


def _mean_around(
    points: Array, places: Array, targets: Array, counts: Array, *, n_neighbours: int
) -> Array:
    """Average the targets of the nearest places, with weights that fall to zero at the next one.

    So the mean is continuous, and does not depend on which of two equally far places counts. It
    is rounded to single precision: means of one value are that value, not numbers around it that
    ranks would tell apart.
    """
    n_nearest = min(n_neighbours + 1, len(places))
    distances, nearest = cKDTree(places).query(points, k=np.arange(1, n_nearest + 1))
    farthest = distances[:, -1:]
    weights = counts[nearest] * np.maximum(1.0 - distances / np.where(farthest > 0, farthest, 1), 0)
    # Where all places are equally far, all count.
    weights += counts[nearest] * (weights.sum(axis=1, keepdims=True) == 0.0)
    weights = weights / weights.sum(axis=1, keepdims=True)
    mean: Array = np.einsum("nk,nkm->nm", weights, targets[nearest])
    return mean.astype(np.float32).astype(np.float64)
