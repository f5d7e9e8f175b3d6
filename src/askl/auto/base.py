"""What the automatic classifier and regressor share: parameters, encoded inputs, members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from askl._typing import Array
from askl.auto.ensemble import HeldOut, mean_prediction
from askl.auto.fit import FitOptions, fit_ensemble
from askl.auto.inputs import check_rows, check_training_rows, encode, name_columns, trace_columns
from askl.auto.parameters import AutoParameters
from askl.persistence.save_load import save

# What every fitted automatic model has, for the Attributes section of its documentation.
FITTED_ATTRIBUTES = """\
leaderboard_ : dict of lists
    A row for each candidate that was tried: candidate, short (whether it was trained for a share
    of the epochs only), symmetric, weight in the ensemble, held_out_error, folds, seconds,
    estimated_seconds, failure, parameters. ``pandas.DataFrame(model.leaderboard_)`` shows it as a
    table.
members_ : list of SpectralKernelClassifier or SpectralKernelRegressor
    Classifiers know the classes by number: their positions in ``classes_``.
member_weights_ : ndarray of shape (n_members,)
encoders_ : list of fitted encoders
    What turns the table into the numbers that members take, in its order.
table_ : TableEncoder or None
    The one that turns the table into numbers, where that was needed.
neighbours_ : NeighbourEncoder or None
    The one that appends mean targets of the nearest rows, where that pays.
spreads_ : SpreadEncoder or None
    The one that appends the mean and the standard deviation of similarly distributed
        columns, if this improves predictions.
symmetries_ : list of tuple of int
    Orders of the columns that members take in which rows mean the same
    (:func:`find_symmetries`); some members were trained with them. Empty where there are none.
fit_seconds_ : float
n_features_in_ : int
feature_names_in_ : ndarray of shape (n_features_in_,)
    Defined when X had string column names."""


class AutoSpectralModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, AutoParameters):
    """What the automatic classifier and regressor share."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def table_(self) -> Any:
        """The encoder of the table; None where it was one of numbers already."""
        return self._encoder("TableEncoder")

    @property
    def neighbours_(self) -> Any:
        """The encoder that appends the mean target of the nearest rows, or None."""
        return self._encoder("NeighbourEncoder")

    @property
    def spreads_(self) -> Any:
        """The encoder of groups of similarly distributed columns, or None."""
        return self._encoder("SpreadEncoder")

    @property
    def _n_features_out(self) -> int:
        return sum(len(member.weights_) for member in self.members_)

    def transform(self, X: Any) -> Array:
        """Map inputs to the members' features side by side, each weighted by √(its weight).

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, width), float32
        """
        inputs = self.encode_inputs(X)
        roots = np.sqrt(self.member_weights_).astype(np.float32)
        parts = zip(roots, self.members_, strict=True)
        return np.hstack([root * member.transform(inputs) for root, member in parts])

    def kernel(self, X: Any, Z: Any = None) -> Array:
        """Compute the learned kernel: the weighted mean of the members' kernels.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
        Z : the same of shape (n_others, n_features), optional
            X itself by default.

        Returns
        -------
        ndarray of shape (n_samples, n_others), float64
        """
        left = self.encode_inputs(X)
        right = None if Z is None else self.encode_inputs(Z)
        parts = zip(self.member_weights_, self.members_, strict=True)
        return np.asarray(sum(weight * member.kernel(left, right) for weight, member in parts))

    def encode_inputs(self, X: Any) -> Any:
        """Check rows, and turn them into the numbers that the members take.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_encoded)
        """
        check_is_fitted(self)
        return encode(self.encoders_, check_rows(self, X, has_table=self.table_ is not None))

    def encoded_names(self) -> Array:
        """Name the columns that :meth:`encode_inputs` returns.

        Returns
        -------
        ndarray of str of shape (n_encoded,)
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = np.array([f"x{position}" for position in range(self.n_features_in_)], object)
        return name_columns(self.encoders_, names)

    def encoded_sources(self) -> list[tuple[int, ...]]:
        """Return for each encoded column the columns of the table that it is made of.

        Returns
        -------
        list of tuple of int, of length n_encoded
            Positions in the rows that were fitted.
        """
        check_is_fitted(self)
        return trace_columns(self.encoders_, self.n_features_in_)

    def save(self, path: Any) -> Path:
        """Write this model to a file, which :func:`askl.load` reads back.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path
        """
        return save(self, path)

    def _encoder(self, name: str) -> Any:
        encoders = getattr(self, "encoders_", ())
        return next((each for each in encoders if type(each).__name__ == name), None)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array | None]:
        """Check parameters, the portfolio among them, and rows; tables stay as they are."""
        self.check_parameters()
        return check_training_rows(self, X, y, sample_weight)

    def _fit(
        self, X: Any, targets: Array, sample_weight: Array | None, *, n_classes: int
    ) -> HeldOut | None:
        """Fit the ensemble; return what it predicts of held-out rows."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max // 2))
        options = FitOptions(
            title=type(self).__name__,
            time_budget=self.time_budget,
            max_members=self.max_members,
            portfolio=self.portfolio,
            memory=self.memory,
            n_jobs=self.n_jobs,
            fixed={"n_threads": self.n_threads, "device": self.device},
            seed=seed,
            verbose=self.verbose,
            settings=self.resolve_settings(),
        )
        fitted = fit_ensemble(X, targets, sample_weight, options, n_classes=n_classes)
        self.encoders_, self.symmetries_ = fitted.encoders, fitted.symmetries
        self.members_, self.member_weights_ = fitted.members
        self.leaderboard_, self.fit_seconds_ = fitted.leaderboard, fitted.seconds
        return fitted.held_out

    def _predict_mean(self, X: Any, n_classes: int) -> Array:
        inputs = self.encode_inputs(X)
        return mean_prediction(self.members_, self.member_weights_, inputs, n_classes)
