"""The spectral kernel regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch import Tensor

from askl._typing import Array
from askl.estimators.base import FITTED_ATTRIBUTES
from askl.estimators.parameters import NumberParameters
from askl.estimators.predictor import CheckedRows, SpectralPredictor
from askl.estimators.split import HeldOut
from askl.preprocessing.column_statistics import divisors
from askl.preprocessing.parameter_table import documented
from askl.preprocessing.target_scaling import LogScale, fit_log_scale
from askl.preprocessing.validation import drop_zero_weights, validate_numbers
from askl.streaming.statistics import RunningMoments, StreamStatistics


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


def _checked_weights(X: Any, sample_weight: Any) -> Array | None:
    if sample_weight is None:
        return None
    weights: Array = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    return weights


class TargetMoments(RunningMoments):
    """Mean and deviation of all targets of a stream."""

    def add(self, block: Array) -> None:
        """Add the targets of some rows."""
        super().add(_as_columns(block))


@documented(FITTED_ATTRIBUTES)
class SpectralKernelRegressor(
    MultiOutputMixin, RegressorMixin, SpectralPredictor, NumberParameters
):
    """Predict one or several numbers with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), where the spectral features φ and the weights W are learned
    together (Automated Spectral Kernel Learning, AAAI 2020). Targets are standardised for training.

    Attributes
    ----------
    head_strength_ : float or None
        Penalty of the head that was solved exactly. None: the head is that of training.
    target_mean_, target_scale_ : ndarray of shape (n_outputs,)
        Mean and deviation that targets, or their logarithms, were standardised with.
    target_log_ : LogScale or None
        The logarithmic scale, with ``scale_targets="log"``.
    held_out_score_ : float or None
        R² on the rows that were held out during training, in the unit of the targets, before the
        head was solved exactly. None if no rows were held out, or nothing was trained.
    target_ndim_ : int
        1 where ``y`` was a vector, 2 where it had columns.

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
    _score = staticmethod(negative_squared_error)
    target_log_: LogScale | None

    def solves_head(self) -> bool:
        """Return whether ``fit`` solves the head exactly at the end.

        Returns
        -------
        bool
        """
        return self.resolve_loss() == "squared" and self.refit_head is not False

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralKernelRegressor:
        """Train one more epoch, on some rows; the first call fixes the scaling.

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
        return self._fit_part(X, y, sample_weight)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict the targets of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the predictive standard deviation as well. It is that of a Bayesian
            linear model on the features, whose mean is the exactly solved head. The noise is
            calibrated so that 90 % intervals (1.645 deviations) contain 90 % of held-out rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), or a pair of them
        """
        X = self._validate_inputs(X)
        unscaled = self._unscaled(X)
        mean = unscaled if self.target_log_ is None else self.target_log_.decode(unscaled)
        if not return_std:
            return mean[:, 0] if self.has_one_output else mean
        deviation = self._deviations(X) * self.target_scale_
        if self.target_log_ is not None:
            deviation = deviation * self.target_log_.slope(unscaled)
        return (mean[:, 0], deviation[:, 0]) if self.has_one_output else (mean, deviation)

    @property
    def has_deviations(self) -> bool:
        """Whether :meth:`predict` can return deviations, as it can if ``fit`` solved the head."""
        return self._posterior is not None

    @property
    def has_one_output(self) -> bool:
        """Whether :meth:`predict` returns a vector, as the targets of ``fit`` were one."""
        return self.target_ndim_ == 1

    def encode_targets(self, y: Any) -> Tensor:
        """Return targets as the loss takes them: standardised, themselves or their logarithms.

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

    def _unscaled(self, X: Any) -> Array:
        """Compute outputs in the unit of the targets, or on their logarithmic scale."""
        return np.asarray(self._outputs(X) * self.target_scale_ + self.target_mean_)

    def _score_held_out(self, held_out: HeldOut) -> float | None:
        outputs, targets, weights = held_out
        predicted, truth = (
            standardised * self.target_scale_ + self.target_mean_
            for standardised in (outputs, targets)
        )
        if self.target_log_ is not None:
            plain = self.target_log_._replace(factor=np.ones_like(self.target_log_.factor))
            predicted, truth = self.target_log_.decode(predicted), plain.decode(truth)
        if len(truth) < 2:
            return None  # one row has no variance
        return float(r2_score(truth, predicted, sample_weight=weights))

    @property
    def _n_outputs(self) -> int:
        return len(self.target_mean_)

    def _encode(self, y: Array) -> Array:
        encoded: Array = self._standardized(_as_columns(y)).astype(np.float32)
        return encoded

    def _standardized(self, y: Array) -> Array:
        """Scale targets of shape (n_samples, n_outputs) as for training."""
        if self.target_log_ is not None:
            y = self.target_log_.encode(y)
        return np.asarray((y - self.target_mean_) / self.target_scale_)

    def _check_rows(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        X, y = self._validate_training(X, y)
        weights = _checked_weights(X, sample_weight)
        X, y, weights = drop_zero_weights(X, y, weights)
        if self._warm_start(X.shape[1], y.shape[1]) is None:
            self._fit_target_scale(y, weights)
        return CheckedRows(X, y, weights)

    def _check_part(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, *, is_first: bool
    ) -> CheckedRows:
        X, y = self._validate_training(X, y, reset=is_first)
        weights = _checked_weights(X, sample_weight)
        if is_first:
            self._fit_target_scale(y, weights)
        elif y.shape[1] != self._n_outputs:
            raise ValueError(
                f"y has {y.shape[1]} outputs, but the first call of partial_fit had "
                f"{self._n_outputs}."
            )
        return CheckedRows(X, y, weights)

    def _target_statistics(self) -> TargetMoments:
        return TargetMoments()

    def _check_stream(self, statistics: StreamStatistics, collected: TargetMoments) -> None:
        self.target_ndim_, n_outputs = statistics.y.ndim, len(collected.mean)
        if self._warm_start(self.n_features_in_, n_outputs) is None:
            # The sample decides a logarithmic scale; otherwise all rows decide.
            self._fit_target_scale(_as_columns(statistics.y), None)
            if self.target_log_ is None:
                self.target_mean_, self.target_scale_ = collected.mean, collected.deviation()

    def _validate_training(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Array]:
        X, y = validate_numbers(self, X, y, reset=reset, multi_output=True, y_numeric=True)
        self.target_ndim_ = y.ndim
        return X, y.reshape(len(y), -1)

    def _fit_target_scale(self, y: Array, weights: Array | None) -> None:
        """Choose how targets are scaled for training: to mean zero and deviation one."""
        self.target_log_ = fit_log_scale(y, weights) if self.scale_targets == "log" else None
        if self.target_log_ is not None:
            y = self.target_log_.encode(y)
        self.target_mean_ = np.average(y, axis=0, weights=weights)
        variance = np.average((y - self.target_mean_) ** 2, axis=0, weights=weights)
        self.target_scale_ = divisors(np.sqrt(variance), self.target_mean_)

    def _correct_mean(self, rows: CheckedRows) -> None:
        """Make predictions of a logarithmic scale fit the means of the targets themselves."""
        if self.target_log_ is not None:
            y, outputs = _as_columns(rows.y), self._unscaled(rows.X)
            self.target_log_ = self.target_log_.correct(outputs, y, rows.sample_weight)
