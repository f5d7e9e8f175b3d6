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
from askl.estimators.predictor import CheckedRows, SpectralPredictor
from askl.estimators.split import HeldOut
from askl.learning import LOSSES
from askl.preprocessing.labels import LabelCounts, check_labels, class_indices, weigh_classes
from askl.preprocessing.parameter_table import documented
from askl.preprocessing.validation import drop_zero_weights, validate_numbers
from askl.streaming.statistics import StreamStatistics


def accuracy(outputs: Tensor, targets: Tensor, sample_weights: Tensor | None) -> float:
    """Compute the weighted share of the rows whose largest output is that of their class."""
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
class SpectralKernelClassifier(ClassifierMixin, SpectralPredictor, ClassifierParameters):
    """Classify with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), one output for each class, where the spectral features φ and the
    weights W are learned together (Automated Spectral Kernel Learning, AAAI 2020).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    held_out_score_ : float or None
        Accuracy on the rows that were held out to stop early. None if none were.

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
    _score = staticmethod(accuracy)

    def solves_head(self) -> bool:
        """Return whether ``fit`` solves the head at the end.

        Returns
        -------
        bool
        """
        return self.refit_head is True

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> SpectralKernelClassifier:
        """Train one more epoch, on some rows; the first call fixes scaling and classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All labels that will ever occur; required in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralKernelClassifier
            The estimator itself.
        """
        return self._fit_part(X, y, sample_weight, classes)

    def decision_function(self, X: Any) -> Array:
        """Compute the outputs f(x); for two classes their difference.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        outputs = self._outputs(self._validate_inputs(X))
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
        winners = self._outputs(self._validate_inputs(X)).argmax(axis=1)
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
        probabilities: Array = softmax(self._outputs(self._validate_inputs(X)), axis=1)
        return probabilities

    def encode_targets(self, y: Any) -> Tensor:
        """Return labels as the loss takes them: each as its position in ``classes_``.

        Parameters
        ----------
        y : array-like of shape (n_samples,)

        Returns
        -------
        Tensor of shape (n_samples,), int64
        """
        check_is_fitted(self, "classes_")
        return torch.from_numpy(class_indices(np.asarray(y), self.classes_))

    @property
    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _encode(self, y: Array) -> Array:
        return class_indices(y, self.classes_)

    def _check_rows(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        X, y = validate_numbers(self, X, y)
        check_labels(y)
        self._set_classes(np.unique(y))
        weights = self._sample_weights(X, y, sample_weight)
        return CheckedRows(*drop_zero_weights(X, y, weights))

    def _check_part(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, *, is_first: bool
    ) -> CheckedRows:
        if is_first and classes is None:
            raise ValueError("The first call of partial_fit must name all classes.")
        X, y = validate_numbers(self, X, y, reset=is_first)
        check_labels(y)
        if is_first:
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={np.unique(classes)!r} differ from those of the first call of "
                f"partial_fit: {self.classes_!r}."
            )
        return CheckedRows(X, y, self._sample_weights(X, y, sample_weight))

    def _target_statistics(self) -> LabelCounts:
        return LabelCounts()

    def _check_stream(self, statistics: StreamStatistics, collected: LabelCounts) -> Array | None:
        check_labels(statistics.y)
        self._set_classes(collected.labels)
        weights = weigh_classes(self.class_weight, self.classes_, collected.counts)
        return None if weights is None else weights / np.average(weights, weights=collected.counts)

    def _score_held_out(self, held_out: HeldOut) -> float:
        hits = held_out.outputs.argmax(axis=1) == held_out.targets
        return float(np.average(hits, weights=held_out.sample_weights))

    def _set_classes(self, labels: Array) -> None:
        if len(labels) < 2:
            raise ValueError(
                "A classifier needs samples of at least 2 classes, but y has one class only: "
                f"{str(labels[0])!r}."
            )
        if not np.array_equal(getattr(self, "classes_", labels), labels):
            # A warm start cannot continue from a model of other classes.
            self.__dict__.pop("layers_", None)
        self.classes_ = labels

    def _sample_weights(self, X: Any, y: Array, sample_weight: Any) -> Array | None:
        """Return the product of the weights of rows and of classes; None where all are one."""
        if sample_weight is None and self.class_weight is None:
            return None
        weights: Array = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        indices = class_indices(y, self.classes_)
        counts = np.bincount(indices, minlength=len(self.classes_))
        class_weights = weigh_classes(self.class_weight, self.classes_, counts)
        return weights if class_weights is None else weights * class_weights[indices]
