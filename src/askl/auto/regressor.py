"""The automatic regressor: nothing to choose, an ensemble chosen on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from askl._typing import Array
from askl.auto.base import FITTED_ATTRIBUTES, AutoSpectralModel
from askl.learning.heads.exact_head import NORMAL_90
from askl.preprocessing.parameter_table import documented


@documented(FITTED_ATTRIBUTES)
class AutoSpectralKernelRegressor(RegressorMixin, AutoSpectralModel):
    """Predict numbers from any table with an automatically chosen ensemble of spectral kernels.

    It works as :class:`AutoSpectralKernelClassifier` does, for one or many numeric targets, with
    candidates of rectified units beside those of cosines. Half of the weight is divided evenly
    among the best candidates that are about as good as the best one, if there are three or more.

    Attributes
    ----------
    held_out_score_ : float or None
        R² of the weighted candidates on rows that they had not seen. None where nothing was held
        out.
    held_out_deviation_ : float, ndarray of shape (n_outputs,), or None
        The deviation of the errors on the same rows: nine tenths of them are within 1.645 of it.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askl import AutoSpectralKernelRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AutoSpectralKernelRegressor(time_budget=2, random_state=0).fit(X[:400], y[:400])
    >>> model.score(X[400:], y[400:]) > 0.4
    True
    """

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AutoSpectralKernelRegressor:
        """Choose and train the ensemble.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
            Data frames, and arrays of objects, may hold missing values, strings, categories and
            dates.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, sample_weight = self._check(X, y, sample_weight)
        targets = _check_y(y, multi_output=True, y_numeric=True).astype(np.float64)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = column_or_1d(targets, warn=True)
        held_out = self._fit(X, targets, sample_weight, n_classes=0)
        self.held_out_score_ = self.held_out_deviation_ = None
        if held_out is not None:
            predictions, known = held_out
            self.held_out_score_ = float(r2_score(known, predictions))
            errors = np.abs(predictions - known)
            self.held_out_deviation_ = np.quantile(errors, 0.9, axis=0) / NORMAL_90
        return self

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Predict numbers and, on request, their deviations.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return a standard deviation for each prediction as well: that of the
            mixture of the members' predictive distributions. Members without a solved head use
            ``held_out_deviation_``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), or two of them
        """
        check_is_fitted(self)
        if not return_std:
            return self._predict_mean(X, 0)
        inputs = self.encode_inputs(X)
        means, deviations = zip(
            *(self._predict_with_deviation(member, inputs) for member in self.members_), strict=True
        )
        weights = self.member_weights_
        mean = np.tensordot(weights, np.stack(means), axes=1)
        square = np.tensordot(weights, np.square(np.stack(means)), axes=1)
        noise = np.tensordot(weights, np.square(np.stack(deviations)), axes=1)
        return mean, np.sqrt(np.maximum(square - mean**2, 0.0) + noise)

    def _predict_with_deviation(self, member: Any, inputs: Any) -> tuple[Array, Array]:
        if member.has_deviations or self.held_out_deviation_ is None:
            mean, deviation = member.predict(inputs, return_std=True)
            return mean, deviation
        mean = member.predict(inputs)
        return mean, np.broadcast_to(self.held_out_deviation_, mean.shape)
