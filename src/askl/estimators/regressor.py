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
from askl.estimators.streaming_fit import StreamLearner
from askl.preprocessing.constant_columns import divisors
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


class SpectralKernelRegressor(MultiOutputMixin, RegressorMixin, StreamLearner):
    """Predict one or several numbers with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), where the spectral features φ and the weights W are learned
    together (Automated Spectral Kernel Learning, AAAI 2020). Targets are standardised inside.

    Parameters
    ----------
    method : {"askl", "nskl", "skl", "nsk", "sk"}, default="askl"
        Row of the paper's Table 1: stationary (one branch) or non-stationary, assigned or
        learned density, and how it is regularised. Any field of the row can be overridden by
        ``n_branches``, ``learn_frequencies``, ``head_norm``, ``head_penalty`` and
        ``feature_penalty``.
    n_components : int, default=1000
        D, the number of frequencies (pairs of them for two branches).
    hidden_components : tuple of int, default=()
        Widths of spectral layers below the last one: a deep spectral kernel.
    activation : {"cosine", "paired", "relu", "sigmoid"}, default="cosine"
        ``"paired"`` is the exact sine-cosine map ψ with 2D features.
    frequency_scale : float or "auto", default="auto"
        σ of the initial density; ``"auto"`` is the density's natural scale for scaled inputs.
    density : {"sparse", "pairs", "gaussian"}, default="sparse"
        Initial density: each frequency on one to three inputs (pairs: one or two) at a scale of
        its own, or the paper's dense gaussian.
    phases : {"shared", "independent"}, default="shared"
        Whether branches share their phases, which makes the kernel non-stationary in
        expectation, or not, as the paper prints.
    loss : str, default="auto"
        ``"log"``, ``"smoothed_log"`` or ``"hinge"`` for classes, ``"squared"`` for numbers;
        ``"auto"`` is ``"smoothed_log"`` or ``"squared"``.
    head_penalty : float or None, default=None
        λ₁, the weight of the norm of W. None: the method's, or chosen on held-out rows where
        the head is solved exactly.
    feature_penalty : float or None, default=None
        λ₂, the weight of the mean squared feature norm. None: the method's.
    optimizer : {"adam", "sgd", "adadelta"}, default="adam"
        How gradients become steps.
    learning_rate : float or "auto", default="auto"
        Learning rate of the first layer's frequencies; ``"auto"`` falls with the number of
        inputs, 0.04 / sqrt(max(16, d)). Later layers' rates fall the same way.
    head_learning_rate : float, default=0.05
        Learning rate of W, which must grow large since features are of norm at most one.
    schedule : {"cosine", "constant"}, default="cosine"
        How both rates change over training.
    batch_size : int or "auto", default="auto"
        Rows a step; clipped to the number of rows. ``"auto"`` grows with it from 32 to 256.
    max_epochs : int, default=30
        Passes over the data.
    dropout : float, default=0.1
        Share of features left out at random in every training step.
    input_noise : float, default=0.0
        Standard deviation of normal noise added to scaled inputs in every training step. Helps
        where many inputs say the same, as the pixels of an image do.
    symmetries : sequence of orders of the columns, or None, default=None
        Orders in which a row would have the same target, such as ``[(1, 0, 2)]`` where the first
        two of three columns may change places; with them, all they make by composition. Training
        sees every row in them at random. :func:`find_symmetries` finds some.
    early_stopping : bool, default=False
        Whether to hold rows out, stop when their score stalls, and keep the best epoch.
    validation_fraction : float, default=0.1
        Share of rows to hold out, for early stopping and for the strength of an exact head.
    n_iter_no_change : int, default=5
        Epochs without a better score before stopping early.
    scale_inputs : str, default="robust"
        Built-in scaling of the columns: ``"robust"`` is median and interquartile range with a
        smooth clip, ``"standard"`` mean and deviation, ``"quantile"`` ranks to a normal,
        ``"robust+quantile"`` both side by side, ``"robust+direction"`` rows beside themselves
        divided by their length, ``"bins"`` up to eight for each, which say how far it has come
        through each eighth of its values, ``"none"`` as given.
    decorrelate_inputs : bool, default=False
        Whether to learn along the principal directions of the scaled inputs, those in which they
        vary little brought half-way to the others. Helps where columns say nearly the same, and
        what matters is how they differ. Not where a fit goes on from another, nor for frequencies
        that are not learned.
    weigh_inputs : bool, default=False
        Whether to weigh scaled inputs by their relevance: a short training of a quarter of the
        epochs measures it, and the real one begins anew with inputs in proportion. Helps where
        many columns say little. Not where a fit goes on from another.
    scale_targets : {"standard", "log"}, default="standard"
        How numbers to predict are brought to the unit of training: by mean and deviation, or
        first by a logarithm (linear near the lowest of them), for prices, counts and the like.
    refit_head : bool or "auto", default="auto"
        Whether to solve W exactly at the end, for squared loss. ``"auto"``: yes.
    n_branches : int or None, default=None
        1 for a stationary, 2 for a non-stationary kernel. None: the method's.
    learn_frequencies : bool or None, default=None
        Whether frequencies are learned or stay as drawn. None: the method's.
    head_norm : {"trace", "frobenius"} or None, default=None
        The norm on W. None: the method's.
    warm_start : bool, default=False
        Whether ``fit`` goes on from the last fit's frequencies and weights.
    device : str, default="cpu"
        Where to train and predict, in torch's words.
    n_threads : int or None, default=None
        Threads to use. None: one for small problems, else all that torch may use.
    record_every : int or None, default=None
        Iterations between records of ``history_``. None: once an epoch.
    callback : callable or None, default=None
        Called as ``callback(progress, estimator)`` at every record; the estimator can predict.
    checkpoint : path-like or None, default=None
        File to keep the state of ``fit`` in while it trains. A fit that finds there the state
        of the same fit goes on from it, to the same bits; it removes the file when it is done.
    checkpoint_every : int or None, default=None
        Iterations between two writes of it. None: once an epoch.
    distributed : bool, default=False
        Whether to share the fit among the processes that torchrun started, each of which calls
        ``fit`` alike.
    random_state : int, RandomState instance or None, default=None
        Decides frequencies, phases, held-out rows and the order of batches.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_branches, n_features, n_components)
        Learned frequencies of the layer that sees the inputs.
    phases_ : ndarray of shape (n_branches, n_components)
    layers_ : list of (frequencies, phases)
        All layers, first to last.
    weights_ : ndarray of shape (width, n_outputs)
        The head W.
    feature_relevance_ : ndarray of shape (n_features,)
        Mean squared gradient of the outputs with respect to each scaled input.
    history_ : list of Progress
        Loss, norms, objective and score over training.
    n_iter_ : int
        Epochs trained.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when X had string column names.
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

    _loss_of_auto = "squared"
    target_log_: LogScale | None

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
