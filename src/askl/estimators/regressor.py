"""The spectral kernel regressor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch import Tensor

from askl._typing import Array
from askl.estimators.base import FITTED_ATTRIBUTES
from askl.estimators.parameters import NumberParameters
from askl.estimators.streaming_fit import StreamLearner
from askl.preprocessing.column_statistics import divisors
from askl.preprocessing.parameter_table import documented
from askl.preprocessing.target_scaling import LogScale, fit_log_scale
from askl.preprocessing.validation import drop_zero_weights, validate_numbers
from askl.streaming.statistics import RunningMoments


def negative_squared_error(
    outputs: Tensor, targets: Tensor, sample_weights: Tensor | None
) -> float:
    """Compute minus the weighted mean squared error over rows and outputs."""
    errors = (outputs - targets).double().square().mean(dim=1)
    if sample_weights is None:
        return -float(errors.mean())
    return -float((errors * sample_weights).sum() / sample_weights.sum())


def _as_columns(y: Array) -> Array:
    """Check that targets are finite numbers, and give each output a column."""
    numbers: Array = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
    assert_all_finite(numbers, input_name="y")
    return numbers


@documented(FITTED_ATTRIBUTES)
class SpectralKernelRegressor(MultiOutputMixin, RegressorMixin, StreamLearner, NumberParameters):
    """Predict one or several numbers with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), where the spectral features φ and the weights W are learned
    together (Automated Spectral Kernel Learning, AAAI 2020). Targets are standardised inside.

    Attributes
    ----------
    head_strength_ : float or None
        Ridge strength of an exactly solved head, None where descent's head stayed.
    target_mean_, target_scale_ : ndarray of shape (n_outputs,)
        What targets, or their logarithms, were standardised with.
    target_log_ : LogScale or None
        The logarithmic scale, where ``scale_targets="log"``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askl import SpectralKernelRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SpectralKernelRegressor(n_components=100, random_state=0).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    _default_loss = "squared"

    target_log_: LogScale | None

    def solves_head(self) -> bool:
        """Return whether ``fit`` solves the head exactly at the end."""
        return self.resolve_loss() == "squared" and self.refit_head is not False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralKernelRegressor:
        """Learn frequencies and weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelRegressor
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def fit_for_selection(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> SpectralKernelRegressor:
        """Fit as :meth:`fit` does, but without ``feature_relevance_``.

        For models that are only scored and then thrown away: the rest is the same, to the bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelRegressor
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, measure_relevance=False)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, *, measure_relevance: bool = True
    ) -> SpectralKernelRegressor:
        self.check_parameters()
        X, y = self._validate_training(X, y, reset=True)
        weights = self._sample_weights(X, sample_weight)
        X, y, weights = drop_zero_weights(X, y, weights)
        if not (self.warm_start and self._fits(X.shape[1], y.shape[1])):
            self._standardize(y, weights)
        self._fit_model(
            X,
            self._encode(y),
            weights,
            n_outputs=y.shape[1],
            score=negative_squared_error,
            measure_relevance=measure_relevance,
        )
        self._correct_mean(X, y, weights)
        return self

    def fit_stream(
        self, source: Any, target: str | Sequence[str] | None = None
    ) -> SpectralKernelRegressor:
        """Learn from more rows than memory holds, read again every epoch.

        Parameters
        ----------
        source : path, pyarrow.dataset.Dataset, or callable
            A Parquet, Arrow or CSV file or a folder of them (needs ``pip install askl[arrow]``);
            or a callable that returns a fresh iterator of chunks, the same ones each time:
            pairs ``(X, y)``, or tables that hold the target. All columns are numbers.
        target : str or sequence of str, optional
            The column to predict, or several; needed wherever columns have names.

        Returns
        -------
        SpectralKernelRegressor
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from askl import SpectralKernelRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = SpectralKernelRegressor(n_components=100, random_state=0)
        >>> model.fit_stream(lambda: iter([(X[:200], y[:200]), (X[200:], y[200:])])).n_features_in_
        10
        """
        self.check_parameters()
        moments = RunningMoments()
        stream = self._open_stream(source, target, lambda y: moments.add(_as_columns(y)))
        self._one_output, n_outputs = stream.statistics.y.ndim == 1, len(moments.mean)
        sample = _as_columns(stream.statistics.y)
        if not (self.warm_start and self._fits(self.n_features_in_, n_outputs)):
            self._standardize(sample, None)  # for a logarithmic scale; else all rows decide
            if self.target_log_ is None:
                self.target_mean_, self.target_scale_ = moments.mean, moments.deviation()
        self._fit_stream(
            stream,
            lambda y: self._encode(_as_columns(y)),
            None,
            n_outputs=n_outputs,
            score=negative_squared_error,
        )
        self._correct_mean(stream.statistics.X, sample, None)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralKernelRegressor:
        """Train one more epoch on some rows; the first call fixes all scaling.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelRegressor
            The estimator itself.
        """
        first = not hasattr(self, "layers_")
        if first:
            self.check_parameters()
        X, y = self._validate_training(X, y, reset=first)
        weights = self._sample_weights(X, sample_weight)
        if first:
            self._standardize(y, weights)
        elif y.shape[1] != len(self.target_mean_):
            raise ValueError(
                f"y has {y.shape[1]} outputs, but the first call of partial_fit had "
                f"{len(self.target_mean_)}."
            )
        self._fit_more(X, self._encode(y), weights, n_outputs=y.shape[1])
        self._correct_mean(X, y, weights)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the targets of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the predictive standard deviation as well: that of the Bayesian
            linear model on φ whose mean is the exact head, with its noise calibrated so that
            90 % intervals (1.645 deviations) hold 90 % of held-out rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), or a pair of them
        """
        unscaled = self._unscaled(X)
        mean = unscaled if self.target_log_ is None else self.target_log_.decode(unscaled)
        if not return_std:
            return mean[:, 0] if self._one_output else mean
        deviation = self._deviations(X) * self.target_scale_
        if self.target_log_ is not None:
            deviation = deviation * self.target_log_.slope(unscaled)
        return (mean[:, 0], deviation[:, 0]) if self._one_output else (mean, deviation)

    @property
    def has_deviations(self) -> bool:
        """Whether :meth:`predict` can tell deviations: the head was solved exactly by fit."""
        return self._posterior is not None

    @property
    def has_one_output(self) -> bool:
        """Whether :meth:`predict` returns a vector: the targets were one when it was fitted."""
        return self._one_output

    def encode_targets(self, y: Any) -> Tensor:
        """Return targets as the loss sees them: standardised, where asked their logarithms.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        Tensor of shape (n_samples, n_outputs), float64
        """
        check_is_fitted(self, "target_mean_")
        return torch.from_numpy(self._standardized(_as_columns(y)))

    def _deviations(self, X: Any) -> Array:
        """Compute noise · sqrt(1 + φᵀ(ΦᵀΦ + n λ I)⁻¹φ), in standardised units."""
        if self._posterior is None:
            raise ValueError(
                "return_std needs a head that was solved exactly by fit. "
                "Fit with refit_head=True (and not with partial_fit)."
            )
        factor, noise = self._posterior
        return np.sqrt(1.0 + self._leverages(X, factor))[:, None] * noise

    def _validate_training(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_numbers(self, X, y, reset=reset, multi_output=True, y_numeric=True)
        self._one_output = y.ndim == 1
        return X, y.reshape(len(y), -1)

    def _sample_weights(self, X: Any, sample_weight: Any) -> Array | None:
        if sample_weight is None:
            return None
        weights: Array = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        return weights

    def _standardize(self, y: Array, weights: Array | None) -> None:
        """Choose the units in which targets are trained: mean zero, deviation one."""
        self.target_log_ = fit_log_scale(y, weights) if self.scale_targets == "log" else None
        if self.target_log_ is not None:
            y = self.target_log_.encode(y)
        self.target_mean_ = np.average(y, axis=0, weights=weights)
        variance = np.average((y - self.target_mean_) ** 2, axis=0, weights=weights)
        self.target_scale_ = divisors(np.sqrt(variance), self.target_mean_)

    def _standardized(self, y: Array) -> Array:
        """Bring targets of shape (n_samples, n_outputs) to the units of training."""
        if self.target_log_ is not None:
            y = self.target_log_.encode(y)
        return np.asarray((y - self.target_mean_) / self.target_scale_)

    def _encode(self, y: Array) -> Array:
        encoded: Array = self._standardized(y).astype(np.float32)
        return encoded

    def _unscaled(self, X: Any) -> Array:
        """Compute outputs in the targets' unit, or on their logarithmic scale."""
        return np.asarray(self._outputs(X) * self.target_scale_ + self.target_mean_)

    def _correct_mean(self, X: Any, y: Array, weights: Array | None) -> None:
        if self.target_log_ is not None:
            self.target_log_ = self.target_log_.correct(self._unscaled(X), y, weights)
