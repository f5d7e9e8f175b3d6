"""What encoders have in common that append columns made from groups of the input columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from askl._typing import Array
from askl.preprocessing.parameter_table import check_declared, parameter
from askl.preprocessing.parameter_validation import NONE, RANDOM_STATE, integer

Group = tuple[int, ...]


class TrainingTable(NamedTuple):
    """Validated inputs, targets with one column for each output, and the random state."""

    X: Array
    targets: Array
    random: np.random.RandomState


@dataclass(eq=False, repr=False, kw_only=True)
class AppendingEncoder(TransformerMixin, BaseEstimator):
    """An encoder that keeps all columns and appends new ones."""

    n_columns: int | None = parameter(
        None,
        integer(0) | NONE,
        "Only this many of the first columns may be in a group. None: all columns.",
    )
    random_state: Any = parameter(
        None,
        RANDOM_STATE,
        "Seed of the choice of rows by which groups are found, and of the folds.",
    )

    def transform(self, X: Any) -> Array:
        """Append the new columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features + n_new), float64
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.hstack([X, *self._new_columns(X)])

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the input columns and of the new ones.

        Parameters
        ----------
        input_features : array-like of str, optional

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = list(_check_feature_names_in(self, input_features))
        return np.array([*names, *(name for name, _ in self._describe(names))], dtype=object)

    def source_columns(self) -> list[Group]:
        """Return for each column of :meth:`transform` the input columns that it is made from.

        Returns
        -------
        list of tuple of int
        """
        check_is_fitted(self)
        names = [str(column) for column in range(self.n_features_in_)]
        own: list[Group] = [(column,) for column in range(self.n_features_in_)]
        return [*own, *(group for _, group in self._describe(names))]

    def _new_columns(self, X: Array) -> Sequence[Array]:
        """Return the new columns, as matrices."""
        raise NotImplementedError

    def _describe(self, names: list[str]) -> list[tuple[str, Group]]:
        """Return the name of each new column and the input columns that it is made from."""
        raise NotImplementedError

    def _check_training_table(self, X: Any, y: Any) -> TrainingTable:
        """Check parameters, inputs and targets."""
        check_declared(self)
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        return TrainingTable(X, targets, check_random_state(self.random_state))
