"""Automatic spectral kernel models: nothing to choose, an ensemble chosen on held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Tags
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from askl._typing import Array
from askl.auto.base import AutoSpectralModel
from askl.auto.ensemble import apply_temperature, choose_temperature
from askl.learning.heads.exact_head import NORMAL_90
from askl.preprocessing.labels import check_labels


class AutoSpectralKernelClassifier(ClassifierMixin, AutoSpectralModel):
    """Classify any table with an ensemble of learned spectral kernels, chosen automatically.

    A portfolio of candidates goes through successive halving on held-out rows: dense and sparse
    densities at several scales, one and two layers, several input scalings, each trained for a
    share of the epochs and, if it is good, for all of them. Greedy selection (Caruana et al.,
    2004) gives weights to the best, which are trained again on all rows with several seeds.
    Probabilities are calibrated by temperature scaling (Guo et al., 2017).

    Three things are looked for in the columns. Where near rows are alike in one or two columns,
    such as a day, or longitude and latitude, the mean target of the nearest rows becomes an input
    (:class:`NeighbourEncoder`). Where many columns are distributed alike, such as the pixels of an
    image, their mean and spread do (:class:`SpreadEncoder`). Where columns are exchangeable, such
    as the cards of a hand, candidates are tried with these symmetries too
    (:func:`find_symmetries`).

    Parameters
    ----------
    time_budget : float, "auto" or None, default="auto"
        Seconds that the fit may take, approximately: no training begins that is not expected to
        end in time, except one that is always done. ``"auto"`` is an amount of work: 18 to 400
        estimated seconds of one core, more for larger data, and for few rows, whose folds must
        all be used; a quarter more where symmetries are used. It takes longer on a slow or busy
        machine and less with ``n_jobs``, but the model is the same everywhere. None: no limit.
        With ``"auto"`` and None, ``random_state`` decides the model; with seconds of your own, a
        fast machine tries more candidates.
    max_members : int, default=16
        Most models in the ensemble.
    portfolio : dict or None, default=None
        Names to parameters of :class:`SpectralKernelClassifier`. None: the built-in portfolio.
    memory : str, joblib.Memory or None, default=None
        Folder that keeps finished trainings. A fit that was killed continues with them when it is
        called again with the same data, parameters, ``random_state`` and version of this library.
    n_jobs : int or None, default=None
        Number of trainings at a time, by joblib.
    n_threads : int or None, default=None
        Threads of one training. None: chosen by its size.
    device : str, default="cpu"
        Where to train and predict: a device of PyTorch, such as "cuda".
    random_state : int, RandomState instance or None, default=None
        Decides everything random.
    verbose : int, default=0
        1 shows a progress bar.
    settings : SearchSettings or None, default=None
        The numbers that decide how the search is done, for experiments. None: the tuned ones.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    leaderboard_ : dict of lists
        A row for each candidate that was tried: candidate, short (whether it was trained for a
        share of the epochs only), symmetric, weight in the ensemble, held_out_error, folds,
        seconds, estimated_seconds, failure, parameters.
        ``pandas.DataFrame(model.leaderboard_)`` shows it as a table.
    members_ : list of SpectralKernelClassifier
        Their classes are numbers from 0 on: positions in ``classes_``.
    member_weights_ : ndarray of shape (n_members,)
    temperature_ : float
        Of the calibrated probabilities; above one where members were too certain.
    held_out_score_ : float or None
        The accuracy of the weighted candidates on rows that they had not seen. None where nothing
        was held out.
    encoders_ : list of fitted encoders
        What turns the table into the numbers that members take, in its order.
    table_ : TableEncoder or None
        The one that turns the table into numbers, where that was needed.
    neighbours_ : NeighbourEncoder or None
        The one that appends mean targets of the nearest rows, where that pays.
    spreads_ : SpreadEncoder or None
        The one that appends means and spreads of like columns, where that pays.
    symmetries_ : list of tuple of int
        Orders of the columns that members take in which rows mean the same
        (:func:`find_symmetries`); some members were trained with them. Empty where there are none.
    fit_seconds_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when X had string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import AutoSpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AutoSpectralKernelClassifier(time_budget=2, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AutoSpectralKernelClassifier:
        """Choose and train the ensemble.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
            Data frames, and arrays of objects, may hold missing values, strings, categories and
            dates.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        X, sample_weight = self._check(X, y, sample_weight)
        y = column_or_1d(_check_y(y, multi_output=True), warn=True)
        check_labels(y)
        encoder = LabelEncoder().fit(y)
        if len(encoder.classes_) < 2:
            raise ValueError(
                f"y has one class, {str(encoder.classes_[0])!r}. A classifier needs two or more."
            )
        codes = encoder.transform(y)
        self.classes_ = encoder.classes_
        held_out = self._fit(X, codes, sample_weight, n_classes=len(self.classes_))
        self.temperature_, self.held_out_score_ = 1.0, None
        if held_out is not None:
            probabilities, targets = held_out
            most = self._search_settings().most_temperature
            self.temperature_ = choose_temperature(probabilities, targets, most=most)
            self.held_out_score_ = float(accuracy_score(targets, probabilities.argmax(axis=1)))
        return self

    def predict_proba(self, X: Any) -> Array:
        """Compute calibrated probabilities of the classes.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        mean = self._predict_mean(X, len(self.classes_))
        return apply_temperature(mean, self.temperature_)

    def predict(self, X: Any) -> Array:
        """Predict labels.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        labels: Array = self.classes_[probabilities.argmax(axis=1)]
        return labels


class AutoSpectralKernelRegressor(RegressorMixin, AutoSpectralModel):
    """Predict numbers from any table with an automatically chosen ensemble of spectral kernels.

    It works as :class:`AutoSpectralKernelClassifier` does, for one or many numeric targets, with
    candidates of rectified units beside those of cosines. Half of the weight is divided evenly
    among the best candidates that are about as good as the best one, if there are three or more.

    Parameters
    ----------
    time_budget : float, "auto" or None, default="auto"
        Seconds that the fit may take, approximately: no training begins that is not expected to
        end in time, except one that is always done. ``"auto"`` is an amount of work: 18 to 400
        estimated seconds of one core, more for larger data, and for few rows, whose folds must
        all be used; a quarter more where symmetries are used. It takes longer on a slow or busy
        machine and less with ``n_jobs``, but the model is the same everywhere. None: no limit.
        With ``"auto"`` and None, ``random_state`` decides the model; with seconds of your own, a
        fast machine tries more candidates.
    max_members : int, default=16
        Most models in the ensemble.
    portfolio : dict or None, default=None
        Names to parameters of :class:`SpectralKernelRegressor`. None: the built-in portfolio.
    memory : str, joblib.Memory or None, default=None
        Folder that keeps finished trainings. A fit that was killed continues with them when it is
        called again with the same data, parameters, ``random_state`` and version of this library.
    n_jobs : int or None, default=None
        Number of trainings at a time, by joblib.
    n_threads : int or None, default=None
        Threads of one training. None: chosen by its size.
    device : str, default="cpu"
        Where to train and predict: a device of PyTorch, such as "cuda".
    random_state : int, RandomState instance or None, default=None
        Decides everything random.
    verbose : int, default=0
        1 shows a progress bar.
    settings : SearchSettings or None, default=None
        The numbers that decide how the search is done, for experiments. None: the tuned ones.

    Attributes
    ----------
    leaderboard_ : dict of lists
        A row for each candidate that was tried: candidate, short (whether it was trained for a
        share of the epochs only), symmetric, weight in the ensemble, held_out_error, folds,
        seconds, estimated_seconds, failure, parameters.
        ``pandas.DataFrame(model.leaderboard_)`` shows it as a table.
    members_ : list of SpectralKernelRegressor
    member_weights_ : ndarray of shape (n_members,)
    held_out_score_ : float or None
        R² of the weighted candidates on rows that they had not seen. None where nothing was held
        out.
    held_out_deviation_ : float, ndarray of shape (n_outputs,), or None
        The deviation of the errors on the same rows: nine tenths of them are within 1.645 of it.
    encoders_ : list of fitted encoders
        What turns the table into the numbers that members take, in its order.
    table_ : TableEncoder or None
        The one that turns the table into numbers, where that was needed.
    neighbours_ : NeighbourEncoder or None
        The one that appends mean targets of the nearest rows, where that pays.
    spreads_ : SpreadEncoder or None
        The one that appends means and spreads of like columns, where that pays.
    symmetries_ : list of tuple of int
        Orders of the columns that members take in which rows mean the same
        (:func:`find_symmetries`); some members were trained with them. Empty where there are none.
    fit_seconds_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Defined when X had string column names.

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
