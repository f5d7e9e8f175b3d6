"""The spectral kernel classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch import Tensor

from askl._typing import Array
from askl.estimators.base import FITTED_ATTRIBUTES
from askl.estimators.parameters import ClassifierParameters
from askl.estimators.streaming_fit import StreamLearner
from askl.learning import LOSSES
from askl.preprocessing.labels import LabelCounts, check_labels, class_indices, weigh_classes
from askl.preprocessing.parameter_table import documented
from askl.preprocessing.validation import drop_zero_weights, validate_numbers


def accuracy(outputs: Tensor, targets: Tensor, sample_weights: Tensor | None) -> float:
    """Compute the weighted share of rows whose largest output is the target's."""
    hits = (outputs.argmax(dim=1) == targets).double()
    if sample_weights is None:
        return float(hits.mean())
    return float((hits * sample_weights).sum() / sample_weights.sum())


def _has_probabilities(estimator: SpectralKernelClassifier) -> bool:
    if LOSSES[estimator.resolve_loss()].has_probabilities:
        return True
    raise AttributeError(
        f"predict_proba is not available for loss={estimator.loss!r}, whose outputs are margins. "
        "Use loss='log', or wrap the estimator in sklearn.calibration.CalibratedClassifierCV."
    )


@documented(FITTED_ATTRIBUTES)
class SpectralKernelClassifier(ClassifierMixin, StreamLearner, ClassifierParameters):
    """Classify with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), one output for each class, where the spectral features φ and the
    weights W are learned together (Automated Spectral Kernel Learning, AAAI 2020).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=100, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    _default_loss = "smoothed_log"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralKernelClassifier:
        """Learn frequencies and weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelClassifier
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def fit_for_selection(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> SpectralKernelClassifier:
        """Fit as :meth:`fit` does, but without ``feature_relevance_``.

        For models that are only scored and then thrown away: the rest is the same, to the bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelClassifier
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, measure_relevance=False)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, *, measure_relevance: bool = True
    ) -> SpectralKernelClassifier:
        self.check_parameters()
        X, y = self._validate_training(X, y, reset=True)
        labels, targets = np.unique(y, return_inverse=True)
        self._set_classes(labels)
        weights = self._sample_weights(X, targets, sample_weight)
        X, targets, weights = drop_zero_weights(X, targets, weights)
        self._fit_model(
            X,
            targets.astype(np.int64),
            weights,
            n_outputs=len(self.classes_),
            score=accuracy,
            measure_relevance=measure_relevance,
        )
        return self

    def fit_stream(self, source: Any, target: str | None = None) -> SpectralKernelClassifier:
        """Learn from more rows than memory holds, read again every epoch.

        Parameters
        ----------
        source : path, pyarrow.dataset.Dataset, or callable
            A Parquet, Arrow or CSV file or a folder of them (needs ``pip install askl[arrow]``);
            or a callable that returns a fresh iterator of chunks, the same ones each time:
            pairs ``(X, y)``, or tables that hold the target. All columns are numbers.
        target : str, optional
            The column of the labels; needed wherever columns have names.

        Returns
        -------
        SpectralKernelClassifier
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from askl import SpectralKernelClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> def chunks():
        ...     for start in range(0, 150, 50):
        ...         yield X[start : start + 50], y[start : start + 50]
        >>> model = SpectralKernelClassifier(n_components=100, random_state=0)
        >>> model.fit_stream(chunks).score(X, y) > 0.95
        True
        """
        self.check_parameters()
        found = LabelCounts()
        stream = self._open_stream(source, target, found.add)
        check_labels(stream.statistics.y)
        self._set_classes(found.labels)
        weights = weigh_classes(self.class_weight, self.classes_, found.counts)
        if weights is not None:
            weights /= np.average(weights, weights=found.counts)
        self._fit_stream(
            stream,
            lambda y: class_indices(y, self.classes_),
            weights,
            n_outputs=len(self.classes_),
            score=accuracy,
        )
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> SpectralKernelClassifier:
        """Train one more epoch on some rows; the first call fixes scaling and classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All labels there will be; required at the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelClassifier
            The estimator itself.
        """
        first = not hasattr(self, "layers_")
        if first:
            self.check_parameters()
            if classes is None:
                raise ValueError("The first call of partial_fit must name all classes.")
        X, y = self._validate_training(X, y, reset=first)
        if first:
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={np.unique(classes)!r} differ from those of the first call of "
                f"partial_fit: {self.classes_!r}."
            )
        targets = class_indices(y, self.classes_)
        weights = self._sample_weights(X, targets, sample_weight)
        self._fit_more(X, targets, weights, n_outputs=len(self.classes_))
        return self

    def decision_function(self, X: Any) -> Array:
        """Compute the outputs f(x); for two classes their difference.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        outputs = self._outputs(X)
        return outputs[:, 1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs

    def predict(self, X: Any) -> Array:
        """Predict the class of every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        winners = self._outputs(X).argmax(axis=1)
        labels: Array = self.classes_[winners]
        return labels

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Predict class probabilities, the softmax of the outputs (log loss only).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        probabilities: Array = softmax(self._outputs(X), axis=1)
        return probabilities

    def encode_targets(self, y: Any) -> Tensor:
        """Return labels as the loss sees them: each is its position in ``classes_``.

        Parameters
        ----------
        y : array-like of shape (n_samples,)

        Returns
        -------
        Tensor of shape (n_samples,), int64
        """
        check_is_fitted(self, "classes_")
        return torch.from_numpy(class_indices(np.asarray(y), self.classes_))

    def _set_classes(self, labels: Array) -> None:
        before: Any = getattr(self, "classes_", None)
        self.classes_ = labels
        if hasattr(self, "layers_") and not np.array_equal(before, self.classes_):
            del self.layers_  # other labels: a warm start has nothing to go on from
        if len(self.classes_) < 2:
            raise ValueError(
                "A classifier needs samples of at least 2 classes, but y has one class only: "
                f"{str(self.classes_[0])!r}."
            )

    def _validate_training(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_numbers(self, X, y, reset=reset)
        check_labels(y)
        return X, y

    def _sample_weights(self, X: Any, targets: Array, sample_weight: Any) -> Array | None:
        if sample_weight is None and self.class_weight is None:
            return None
        weights: Array = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        counts = np.bincount(targets, minlength=len(self.classes_))
        class_weights = weigh_classes(self.class_weight, self.classes_, counts)
        return weights if class_weights is None else weights * class_weights[targets]
