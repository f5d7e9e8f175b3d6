"""Comparison of columns: which are distributed alike, and which orders keep their relations.

Moments of two columns are compared over all rows and within each part of them: within each class,
or each range of a numeric target. Partial correlations distinguish columns that are nearly equal,
whose correlations hardly differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from askl._typing import Array
from askl.discovery.distributions import (
    ecdf_distance,
    has_two_values,
    is_varied,
    largest_difference,
)
from askl.preprocessing.input_scaling import fit_scaling

# Moments of exchangeable columns, in units of deviations, differ by this much at most, and by this
# many deviations of a difference by chance. Partial correlations differ more: they are large where
# columns are nearly equal.
TOLERANCE = 0.05
PARTIAL_TOLERANCE = 0.2
CHANCE = 3.0
# If the other columns explain all but this share of a column's variance, the rest is rounding, and
# the column stays in its place, unless it has only two values, as a one-hot encoded category has.
LEAST_OWN_SHARE = 1e-4


class Relation(NamedTuple):
    """Moments of any two columns in each part of the rows, and how much they may differ.

    Attributes
    ----------
    moments : ndarray of shape (n_parts, n_features, n_features)
    tolerance : float
    """

    moments: Array
    tolerance: float


class ColumnRelations(NamedTuple):
    """Which columns are similar, and the relations of any two columns.

    Attributes
    ----------
    similar : ndarray of bool of shape (n_features, n_features)
        True for two columns that are distributed alike, in all rows and in each part of them.
    relations : list of Relation
    """

    similar: Array
    relations: list[Relation]

    def are_kept_by(self, order: Array) -> bool:
        """Return True if all relations are the same, within tolerance, after reordering."""
        return all(
            bool((np.square(moments - moments[:, order][:, :, order]).sum(axis=0) <= most**2).all())
            for moments, most in self.relations
        )

    def restrict(self, possible: Array, position: int, column: int) -> Array:
        """Move a column to a position, and return which columns may then stand where.

        Another column may stand at another position only if its relations to the moved column are
        those that the column of that position has to the column it replaces.

        Parameters
        ----------
        possible : ndarray of bool of shape (n_features, n_features)
            Entry (i, j) is True where column j may stand at position i.
        position, column : int

        Returns
        -------
        ndarray of bool of shape (n_features, n_features)
        """
        possible = possible.copy()
        for moments, most in self.relations:
            possible &= distances(moments[:, :, position], moments[:, :, column]) <= most
        is_column = np.arange(len(possible)) == column
        possible[:, is_column] = False
        possible[position] = is_column & self.similar[position]
        return possible


def compare_columns(X: Array, parts: Array) -> ColumnRelations:
    """Compare columns with each other, over all rows and within each part of them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    parts : ndarray of shape (n_samples, n_parts)
        One-hot encoded part of each row, or of several targets side by side.

    Returns
    -------
    ColumnRelations
    """
    n_samples, n_features = X.shape
    unit = standardize(X)
    shares = parts.mean(axis=0)
    parts, shares = parts[:, shares > 0.0], shares[shares > 0.0]
    # Moments of a part are weighted by the root of its share: then chance is alike in all parts.
    weights = parts / (n_samples * np.sqrt(shares))
    tolerance = TOLERANCE + CHANCE * np.sqrt(len(shares) / n_samples)
    partial_tolerance = PARTIAL_TOLERANCE + CHANCE * np.sqrt(1.0 / n_samples)
    products = np.stack([(unit * weight[:, None]).T @ unit for weight in weights.T])
    correlation = unit.T @ unit / n_samples + 0.1 * LEAST_OWN_SHARE * np.eye(n_features)
    precision = np.linalg.inv(correlation)
    own = 1.0 / np.diagonal(precision)  # share of the variance that the others do not explain
    partial = precision * np.sqrt(own * own[:, None])
    slopes = np.sqrt(own) * (weights.T @ unit @ precision)
    is_explained = own < LEAST_OWN_SHARE
    partial[is_explained] = partial[:, is_explained] = slopes[:, is_explained] = 0.0
    own[is_explained] = 1.0
    means, squares = weights.T @ unit, np.diagonal(products, axis1=1, axis2=2)
    similar = distances(np.log(own)[None], np.log(own)[None]) <= partial_tolerance
    for moments in (means, squares, slopes):
        similar &= distances(moments, moments) <= tolerance
    similar &= ecdf_distance(X) <= largest_difference(n_samples)
    stays = ~is_varied(X) | (is_explained & ~has_two_values(X))
    similar[:, stays] = similar[stays] = False
    np.fill_diagonal(similar, True)
    relations = [Relation(products, tolerance), Relation(partial[None], partial_tolerance)]
    return ColumnRelations(similar, relations)


def standardize(numbers: Array) -> Array:
    """Return columns with mean zero and deviation one."""
    return fit_scaling(numbers, "standard").apply(numbers).astype(np.float64)


def distances(left: Array, right: Array) -> Array:
    """Return the Euclidean distance of any two columns of two matrices.

    Examples
    --------
    >>> distances(np.array([[0.0, 3.0], [0.0, 4.0]]), np.array([[0.0], [0.0]]))
    array([[0.],
           [5.]])
    """
    return np.asarray(np.sqrt(np.square(left[:, :, None] - right[:, None, :]).sum(axis=0)))
