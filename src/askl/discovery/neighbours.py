"""Mean targets of the nearest rows, in one or two columns, as new columns.

A kernel with a finite number of frequencies is smooth. But where two columns are a place, such as
longitude and latitude, targets can change from one street to the next, and where a column is a
time, from one day to the next. Such groups of columns are found from the residuals of a smooth
model: rows that are near each other in such a group have similar residuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from askl._typing import Array
from askl.discovery.appending_encoder import AppendingEncoder, Group
from askl.discovery.neighbour_groups import (
    Chosen,
    Explained,
    choose_groups,
    explain_by_neighbours,
)
from askl.discovery.neighbour_means import (
    KnownPoints,
    cross_fitted_means,
    merge_rows,
    neighbour_means,
)
from askl.discovery.probe import cross_validated_residuals
from askl.preprocessing.input_scaling import fit_scaling
from askl.preprocessing.parameter_table import (
    INPUT_ATTRIBUTES,
    documented,
    parameter,
)
from askl.preprocessing.parameter_validation import integer, real

# Folds of cross-fitting.
N_FOLDS = 5
# Groups are chosen by this many rows at most.
MOST_ROWS = 3000
# With fewer rows, the nearest rows are too far to be similar.
LEAST_ROWS = 500
# In a single column, more neighbours than these would smooth away what a smooth model cannot learn.
MOST_NEIGHBOURS_IN_ONE_COLUMN = 3


@documented(INPUT_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class NeighbourEncoder(AppendingEncoder):
    """Append the mean target of the nearest rows, in columns where near rows are similar.

    For every column, the nearest rows explain a share of the cross-validated residuals of a small
    smooth model. The column with the largest share is taken if the share is large enough, then the
    next one. A pair of columns must explain more than either of its columns. In training no row is
    its own neighbour: the means are cross-fitted.

    Attributes
    ----------
    groups_ : list of tuple of int
        The columns and pairs that were taken, in this order; there may be none.
    agreements_ : list of float
        For each group, the share of the variance of the residuals that it explains, once the groups
        before it have explained theirs.

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

    n_neighbours: int = parameter(
        10,
        integer(1),
        "Number of nearest points; in a single column three at most. Rows at the same point count "
        "as one neighbour with their mean target.",
    )
    max_groups: int = parameter(
        3, integer(0), "At most this many columns and pairs are taken; with 0, none."
    )
    least_agreement: float = parameter(
        0.05,
        real(0.0),
        "Share of the variance of the residuals that a column must explain, or a pair beyond what "
        "either of its columns explains alone.",
    )

    def fit(self, X: Any, y: Any) -> NeighbourEncoder:
        """Choose the groups, and keep the points and targets of the rows.

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
        """Fit and transform; the mean targets are cross-fitted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_features + n_groups * n_outputs), float64
        """
        X, targets, random = self._check_training_table(X, y)
        self.scaling_ = fit_scaling(X, "robust")
        scaled = self.scaling_.apply(X)
        chosen: list[Chosen] = []
        if len(X) >= LEAST_ROWS and self.max_groups:
            rows = random.permutation(len(X))[:MOST_ROWS]
            chosen = self._choose(X[rows], scaled[rows, : self.n_columns], targets[rows])
        self.groups_ = [group for group, _ in chosen]
        self.agreements_ = [share for _, share in chosen]
        folds = KFold(N_FOLDS, shuffle=True, random_state=random.randint(2**31 - 1))
        known = [merge_rows(scaled[:, group], targets) for group in self.groups_]
        self.places_ = [points for points, _, _ in known]
        self.targets_ = [means for _, means, _ in known]
        self.counts_ = [counts for _, _, counts in known]
        means = [
            cross_fitted_means(scaled[:, group], targets, folds, self.n_nearest(group))
            for group in self.groups_
        ]
        return np.hstack([X, *means])

    def n_nearest(self, group: Group) -> int:
        """Return the number of nearest points in a group of one or two columns.

        Parameters
        ----------
        group : tuple of int
            The columns.

        Returns
        -------
        int
        """
        if len(group) == 1:
            return min(MOST_NEIGHBOURS_IN_ONE_COLUMN, self.n_neighbours)
        return self.n_neighbours

    def _new_columns(self, X: Array) -> list[Array]:
        """Return the mean targets of the nearest training rows in each group."""
        scaled = self.scaling_.apply(X)
        known = map(KnownPoints, self.places_, self.targets_, self.counts_)
        return [
            neighbour_means(scaled[:, group], points, self.n_nearest(group))
            for group, points in zip(self.groups_, known, strict=True)
        ]

    def _describe(self, names: list[str]) -> list[tuple[str, Group]]:
        described = []
        for group, targets in zip(self.groups_, self.targets_, strict=True):
            n_outputs = targets.shape[1]
            endings = [f" {output}" for output in range(n_outputs)] if n_outputs > 1 else [""]
            near = ", ".join(names[column] for column in group)
            described += [(f"target{ending} near {near}", group) for ending in endings]
        return described

    def _choose(self, X: Array, points: Array, targets: Array) -> list[Chosen]:
        """Choose groups of columns by some rows, which are in random order."""
        folds = KFold(N_FOLDS)

        def explain(group: Group, residuals: Array) -> Explained:
            n_nearest = self.n_nearest(group)
            return explain_by_neighbours(points[:, group], residuals, folds, n_nearest)

        return choose_groups(
            points,
            cross_validated_residuals(X, targets, folds),
            explain,
            max_groups=self.max_groups,
            least_share=self.least_agreement,
        )
