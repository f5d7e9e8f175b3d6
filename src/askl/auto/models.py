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
from askl.auto.calibration import apply_temperature, choose_temperature
from askl.learning.heads.exact_head import NORMAL_90
from askl.preprocessing.labels import check_labels


class AutoSpectralKernelClassifier(ClassifierMixin, AutoSpectralModel):
    """Classify any table with an ensemble of learned spectral kernels, chosen automatically.

    A portfolio of starts (dense and sparse densities at several scales, one and two layers, six
    input scalings, inputs alike, decorrelated, weighed by relevance or blurred by noise), each
    trained briefly or to the end, goes through successive halving on held-out rows. The survivors
    are weighted by greedy selection and trained again on all rows, with several seeds.
    Probabilities are calibrated by a temperature. Where one or two columns say a time or a place,
    such as longitude and latitude, what nearby rows are like is a further input
    (:class:`NeighbourEncoder`), and so is how much columns of one kind differ within a row, where
    that says something (:class:`SpreadEncoder`). Where columns may change places, such as the cards
    of a hand, the starts are tried with these symmetries too (:func:`find_symmetries`).

    Parameters
    ----------
    time_budget : float, "auto" or None, default="auto"
        Seconds the fit may take, roughly: no training begins that is not expected to end in
        time, though one always does. ``"auto"`` is an amount of work, from 18 to 400 seconds of
        one core: more for more data, and for few rows, which must all judge; a quarter more where
        it pays that columns may change places. It takes longer on a slow or busy machine, less
        with ``n_jobs``, and tries the same everywhere. None: as long as it takes. With either,
        ``random_state`` decides the model; in seconds that you name, a fast machine tries more.
    max_members : int, default=16
        Most models in the ensemble.
    portfolio : dict or None, default=None
        Names to parameters of :class:`SpectralKernelClassifier`. None: the built-in portfolio.
    memory : str, joblib.Memory or None, default=None
        Folder that keeps finished trainings: a fit that was killed goes on from them when it is
        called again with the same data, parameters and ``random_state``.
    n_jobs : int or None, default=None
        Trainings at a time, by joblib.
    n_threads : int or None, default=None
        Threads of one training. None: chosen by its size.
    device : str, default="cpu"
        Where to train and predict, in torch's words.
    random_state : int, RandomState instance or None, default=None
        Decides everything random.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    leaderboard_ : dict of lists
        What was tried: start, weight in the ensemble, held-out error, folds, seconds, seconds
        estimated, parameters.
        ``pandas.DataFrame(model.leaderboard_)`` shows it as a table.
    members_ : list of SpectralKernelClassifier
    member_weights_ : ndarray of shape (n_members,)
    temperature_ : float
        Of the calibrated probabilities; above one where members were too sure.
    held_out_score_ : float or None
        Of the ensemble's weights on held-out rows, with members that had not seen them: accuracy.
        None where nothing was held out.
    table_ : TableEncoder or None
        What turns the table into numbers, where that was needed.
    neighbours_ : NeighbourEncoder or None
        What appends the mean target of the nearest rows, where there are columns, such as a day,
        or longitude and latitude, in which near rows are alike.
    spreads_ : SpreadEncoder or None
        What appends the mean and the spread of columns of one kind, where spreads say something.
    symmetries_ : list of tuple of int
        Orders of what members take, the columns of the table and those that were appended, in
        which rows look the same (:func:`find_symmetries`), such as those of the cards of a hand;
        some members were trained with them. Empty where there are none.
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
        X, y, sample_weight = self._validate(X, y, sample_weight)
        y = column_or_1d(_check_y(y, multi_output=True), warn=True)
        check_labels(y)
        encoder = LabelEncoder().fit(y)
        if len(encoder.classes_) < 2:
            raise ValueError(
                f"y has one class, {str(encoder.classes_[0])!r}. A classifier needs two or more."
            )
        codes = encoder.transform(y)
        self.classes_ = encoder.classes_
        search = self._fit(X, codes, sample_weight, n_classes=len(self.classes_))
        self.temperature_, self.held_out_score_ = 1.0, None
        if search.held_out is not None:
            probabilities, targets = search.held_out
            self.temperature_ = choose_temperature(probabilities, targets)
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
        return apply_temperature(self._mean(X, len(self.classes_)), self.temperature_)

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

    As :class:`AutoSpectralKernelClassifier`, for one or many numeric targets. There are starts of
    rectified units beside those of cosines, and half of the weight goes evenly to the best dozen of
    what was tried, as far as they are about as good as the best and at least three.

    Parameters
    ----------
    time_budget : float, "auto" or None, default="auto"
        Seconds the fit may take, roughly: no training begins that is not expected to end in
        time, though one always does. ``"auto"`` is an amount of work, from 18 to 400 seconds of
        one core: more for more data, and for few rows, which must all judge; a quarter more where
        it pays that columns may change places. It takes longer on a slow or busy machine, less
        with ``n_jobs``, and tries the same everywhere. None: as long as it takes. With either,
        ``random_state`` decides the model; in seconds that you name, a fast machine tries more.
    max_members : int, default=16
        Most models in the ensemble.
    portfolio : dict or None, default=None
        Names to parameters of :class:`SpectralKernelRegressor`. None: the built-in portfolio.
    memory : str, joblib.Memory or None, default=None
        Folder that keeps finished trainings: a fit that was killed goes on from them when it is
        called again with the same data, parameters and ``random_state``.
    n_jobs : int or None, default=None
        Trainings at a time, by joblib.
    n_threads : int or None, default=None
        Threads of one training. None: chosen by its size.
    device : str, default="cpu"
        Where to train and predict, in torch's words.
    random_state : int, RandomState instance or None, default=None
        Decides everything random.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    leaderboard_ : dict of lists
        What was tried: start, weight in the ensemble, held-out error, folds, seconds, seconds
        estimated, parameters.
    members_ : list of SpectralKernelRegressor
    member_weights_ : ndarray of shape (n_members,)
    held_out_score_ : float or None
        Of the ensemble's weights on held-out rows, with members that had not seen them: R².
        None where nothing was held out.
    held_out_deviation_ : float, ndarray of shape (n_outputs,), or None
        Of the errors on the same rows: nine tenths of them are within 1.645 of it.
    table_ : TableEncoder or None
        What turns the table into numbers, where that was needed.
    neighbours_ : NeighbourEncoder or None
        What appends the mean target of the nearest rows, where there are columns, such as a day,
        or longitude and latitude, in which near rows are alike.
    spreads_ : SpreadEncoder or None
        What appends the mean and the spread of columns of one kind, where spreads say something.
    symmetries_ : list of tuple of int
        Orders of what members take, the columns of the table and those that were appended, in
        which rows look the same (:func:`find_symmetries`), such as those of the cards of a hand;
        some members were trained with them. Empty where there are none.
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

    # Of models saved before there was any.
    held_out_deviation_: Any = None

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
        X, y, sample_weight = self._validate(X, y, sample_weight)
        targets = _check_y(y, multi_output=True, y_numeric=True).astype(np.float64)
        if targets.ndim == 2 and targets.shape[1] == 1:
            targets = column_or_1d(targets, warn=True)
        search = self._fit(X, targets, sample_weight, n_classes=0)
        self.held_out_score_ = self.held_out_deviation_ = None
        if search.held_out is not None:
            predictions, held_out = search.held_out
            self.held_out_score_ = float(r2_score(held_out, predictions))
            errors = np.abs(predictions - held_out)
            self.held_out_deviation_ = np.quantile(errors, 0.9, axis=0) / NORMAL_90
        return self

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Predict numbers and, on request, their deviations.

        Parameters
        ----------
        X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return a standard deviation for each prediction as well: that of the
            mixture of the members' predictive distributions. A member without an exact head has
            ``held_out_deviation_`` for its own.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs), or two of them
        """
        check_is_fitted(self)
        if not return_std:
            return self._mean(X, 0)
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
