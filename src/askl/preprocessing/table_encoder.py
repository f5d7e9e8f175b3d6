"""Tables of numbers, categories, texts and dates, encoded as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import OneHotEncoder, TargetEncoder
from sklearn.utils import Tags
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from askl._typing import Array
from askl.errors import TableError
from askl.preprocessing.column_types import as_numbers, check_numbers, clean_column, kind_of
from askl.preprocessing.dates import DATE_NUMBERS
from askl.preprocessing.frames import frame_columns, is_frame, keep_objects
from askl.preprocessing.parameter_table import (
    INPUT_ATTRIBUTES,
    check_declared,
    documented,
    parameter,
)
from askl.preprocessing.parameter_validation import integer
from askl.preprocessing.validation import is_regression

# Folds of cross-fitting.
N_FOLDS = 5


@documented(INPUT_ATTRIBUTES)
@dataclass(eq=False, repr=False, kw_only=True)
class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table as numbers, whatever its columns hold.

    Missing numbers are replaced by the median of their column, and marked in a further column.
    Dates, also as texts such as 2020-01-31, become days since 1970, day of the year and day of the
    week. Categories and texts are one-hot encoded; with many values they are target encoded: each
    value becomes its mean target, cross-fitted, so that no row sees its own target. Numbers that
    pandas holds as a category without an order are categories.

    Attributes
    ----------
    kinds_ : list of str
        "number", "date" or "category", for each input column.
    n_target_columns_ : int
        How many output columns are mean targets of categories. They are the last ones.

    Examples
    --------
    >>> import pandas as pd
    >>> from askl import TableEncoder
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "color": ["red", "blue", None]})
    >>> TableEncoder().fit_transform(table)
    array([[1., 0., 0., 0., 1.],
           [2., 1., 0., 1., 0.],
           [3., 0., 1., 0., 0.]])
    """

    one_hot_limit: int = parameter(
        20,
        integer(0),
        "Categories with at most this many values are one-hot encoded, others target encoded.",
    )
    random_state: int = parameter(0, integer(0), "Seed of the folds of cross-fitting.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn medians, categories and their mean targets.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Needed only where a category has many values.

        Returns
        -------
        TableEncoder
            The fitted encoder.
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Fit and transform; the mean targets of categories are cross-fitted.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Needed only where a category has many values.

        Returns
        -------
        ndarray of shape (n_samples, n_columns), float64
        """
        check_declared(self)
        columns = self._columns(X, reset=True)
        self.kinds_ = [kind_of(column) for column in columns]
        self.is_many_valued_ = [
            kind == "category" and len(np.unique(column)) > self.one_hot_limit
            for kind, column in zip(self.kinds_, columns, strict=True)
        ]
        self.imputer_ = SimpleImputer(
            strategy="median", add_indicator=True, keep_empty_features=True
        )
        self.one_hot_ = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.targets_: TargetEncoder | None = None
        self.n_target_columns_ = 0
        parts = self._parts(columns)
        encoded = []
        if parts["numbers"].shape[1]:
            encoded.append(self.imputer_.fit_transform(parts["numbers"]))
        if parts["one_hot"].shape[1]:
            encoded.append(self.one_hot_.fit_transform(parts["one_hot"]))
        if parts["target"].shape[1]:
            encoded.append(self._fit_targets(parts["target"], y))
        return np.hstack(encoded).astype(np.float64)

    def transform(self, X: Any) -> Array:
        """Encode rows as numbers; a category unknown in training equals none of the known ones.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_columns), float64
        """
        check_is_fitted(self)
        parts = self._parts(self._columns(X, reset=False))
        encoded = []
        if parts["numbers"].shape[1]:
            encoded.append(self.imputer_.transform(parts["numbers"]))
        if parts["one_hot"].shape[1]:
            encoded.append(self.one_hot_.transform(parts["one_hot"]))
        if self.targets_ is not None:
            encoded.append(self.targets_.transform(parts["target"]))
        return np.hstack(encoded).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns that :meth:`transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns, where the table had none.

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> import pandas as pd
        >>> from askl import TableEncoder
        >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "color": ["red", "blue", "red"]})
        >>> TableEncoder().fit(table).get_feature_names_out().tolist()
        ['size', 'missingindicator_size', 'color_blue', 'color_red']
        """
        check_is_fitted(self)
        names: dict[str, list[str]] = {"numbers": [], "one_hot": [], "target": []}
        columns = _check_feature_names_in(self, input_features)
        for name, kind, part in zip(columns, self.kinds_, self._part_names(), strict=True):
            is_date = kind == "date"
            names[part] += [f"{name}_{number}" for number in DATE_NUMBERS] if is_date else [name]
        encoders = {"numbers": self.imputer_, "one_hot": self.one_hot_, "target": self.targets_}
        return np.concatenate(
            [encoders[part].get_feature_names_out(given) for part, given in names.items() if given]
        )

    def source_columns(self) -> list[tuple[int, ...]]:
        """Return for each column of :meth:`transform` the columns of the table that it is made of.

        Returns
        -------
        list of tuple of int

        Examples
        --------
        >>> import pandas as pd
        >>> from askl import TableEncoder
        >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "color": ["red", "blue", "red"]})
        >>> TableEncoder().fit(table).source_columns()
        [(0,), (0,), (1,), (1,)]
        """
        check_is_fitted(self)
        positions: dict[str, list[int]] = {"numbers": [], "one_hot": [], "target": []}
        for position, (kind, part) in enumerate(zip(self.kinds_, self._part_names(), strict=True)):
            positions[part] += [position] * (len(DATE_NUMBERS) if kind == "date" else 1)
        sources = list(positions["numbers"])
        if sources:
            sources += [sources[column] for column in self.imputer_.indicator_.features_]
        if positions["one_hot"]:
            n_values = [len(values) for values in self.one_hot_.categories_]
            sources += np.repeat(positions["one_hot"], n_values).tolist()
        if positions["target"]:
            n_each = self.n_target_columns_ // len(positions["target"])
            sources += np.repeat(positions["target"], n_each).tolist()
        return [(source,) for source in sources]

    def _fit_targets(self, categories: Array, y: Any) -> Array:
        if y is None:
            raise TableError(
                f"A column has more than one_hot_limit={self.one_hot_limit} categories, which "
                "are encoded as mean targets. Give y, or raise one_hot_limit."
            )
        y = np.asarray(y)
        if y.ndim == 2:  # the mean stands for all outputs
            y = y.astype(np.float64).mean(axis=1)
        kind = "continuous" if is_regression(y) else "auto"
        encoder = _target_encoder(kind, self.random_state)
        encoded: Array = encoder.fit_transform(categories, y)
        # A fitted encoder needs no folds.
        self.targets_ = encoder.set_params(cv=N_FOLDS)
        self.n_target_columns_ = encoded.shape[1]
        return encoded

    def _columns(self, X: Any, *, reset: bool) -> list[Array]:
        """Return the cleaned columns of a table, whose names and number are checked."""
        kinds = None if reset else self.kinds_
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            columns = frame_columns(X, kinds)
        else:
            X = validate_data(
                self,
                keep_objects(X),
                reset=reset,
                dtype=None,
                ensure_all_finite=False,
                ensure_min_features=1,
            )
            known = kinds or [""] * X.shape[1]
            columns = [clean_column(*column) for column in zip(X.T, known, strict=True)]
        if not columns or not len(columns[0]):
            raise TableError(f"The table has shape {X.shape}. Give at least one row and column.")
        for position, column in enumerate(columns):
            check_numbers(column, self._name(position))
        return columns

    def _name(self, position: int) -> str:
        """Return a column's name, or its position where it has none, for messages."""
        names = getattr(self, "feature_names_in_", None)
        return str(position) if names is None else repr(str(names[position]))

    def _parts(self, columns: list[Array]) -> dict[str, Array]:
        """Sort columns, by their kinds in training, into the inputs of the three encoders."""
        empty = np.empty((len(columns[0]), 0))
        parts: dict[str, list[Array]] = {"numbers": [], "one_hot": [], "target": []}
        for position, (column, kind, part) in enumerate(
            zip(columns, self.kinds_, self._part_names(), strict=True)
        ):
            is_category = kind == "category"
            name = self._name(position)
            parts[part].append(column[:, None] if is_category else as_numbers(column, kind, name))
        return {part: np.hstack(given) if given else empty for part, given in parts.items()}

    def _part_names(self) -> list[str]:
        """Return for each column whose input it is: of the imputer, one-hot or target encoder."""
        return [
            "numbers" if kind != "category" else "target" if is_many else "one_hot"
            for kind, is_many in zip(self.kinds_, self.is_many_valued_, strict=True)
        ]


def _target_encoder(kind: str, seed: int) -> TargetEncoder:
    if parse_version(sklearn.__version__) < parse_version("1.9"):
        return TargetEncoder(target_type=kind, cv=N_FOLDS, random_state=seed)
    folds = KFold if kind == "continuous" else StratifiedKFold
    return TargetEncoder(target_type=kind, cv=folds(N_FOLDS, shuffle=True, random_state=seed))
