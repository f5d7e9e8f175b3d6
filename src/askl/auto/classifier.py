"""The automatic classifier: nothing to choose, an ensemble chosen on held-out rows."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from askl._typing import Array
from askl.auto.base import FITTED_ATTRIBUTES, AutoSpectralModel
from askl.auto.ensemble import apply_temperature, choose_temperature
from askl.preprocessing.labels import check_labels
from askl.preprocessing.parameter_table import documented


@documented(FITTED_ATTRIBUTES)
class AutoSpectralKernelClassifier(ClassifierMixin, AutoSpectralModel):
    """Classify any table with an ensemble of learned spectral kernels, chosen automatically.

    A portfolio of candidates goes through successive halving on held-out rows: dense and sparse
    densities at several scales, one and two layers, several input scalings, each trained for a
    share of the epochs and, if it is good, for all of them. Greedy selection (Caruana et al.,
    2004) gives weights to the best, which are trained again on all rows with several seeds.
    Probabilities are calibrated by temperature scaling (Guo et al., 2017).

    The search looks for three kinds of columns. For one or two columns in which near rows have
    similar targets, such as a day, or longitude and latitude, the mean target of the nearest rows
    becomes an input (:class:`NeighbourEncoder`). For similarly distributed columns, such as the
    pixels of an image, their mean and standard deviation do (:class:`SpreadEncoder`). With
    exchangeable columns, such as the cards of a hand, candidates are also tried with these
    symmetries (:func:`find_symmetries`).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    temperature_ : float
        Of the calibrated probabilities; above one where members were too certain.
    held_out_score_ : float or None
        The accuracy of the weighted candidates on rows that they had not seen. None where nothing
        was held out.

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
            most = self.resolve_settings().most_temperature
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
