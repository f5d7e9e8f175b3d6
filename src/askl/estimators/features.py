"""Spectral features as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from askl.estimators.base import FITTED_ATTRIBUTES, SpectralModel, restored_on_error
from askl.estimators.build import Plan, open_context
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.fit import draw_initial
from askl.estimators.parameters import NumberParameters
from askl.estimators.regressor import SpectralKernelRegressor
from askl.estimators.training_data import ArrayData
from askl.preprocessing.parameter_table import documented
from askl.preprocessing.validation import drop_zero_weights, is_regression, validate_numbers

# What the features take over from the estimator that has learned them.
LEARNED = (
    "seed_",
    "scaling_",
    "layers_",
    "activation_",
    "weights_",
    "history_",
    "n_iter_",
    "feature_relevance_",
)


@documented(FITTED_ATTRIBUTES)
class SpectralFeatures(SpectralModel, NumberParameters):
    """Map inputs to spectral features: random ones, or learned ones if ``y`` is given.

    It can be used like scikit-learn's ``RBFSampler``. Without ``y`` (or with ``method="sk"`` or
    ``"nsk"``) frequencies stay as drawn from the density. With ``y`` they are learned by a
    classifier or a regressor with these parameters, depending on the type of ``y``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from askl import SpectralFeatures
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(
    ...     SpectralFeatures(n_components=50, random_state=0), LogisticRegression())
    >>> pipeline.fit(X, y).score(X, y) > 0.95
    True
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SpectralFeatures:
        """Draw frequencies, and learn them if ``y`` is given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralFeatures
            Fitted. If ``fit`` raises an error, the transformer stays as it was.
        """
        with restored_on_error(self):
            self.check_parameters()
            checked = validate_numbers(self, X)
            if y is None or not self.resolve_method().learn_frequencies:
                self._draw(checked, sample_weight)
            else:
                self._learn_from(X, y, sample_weight)
        return self

    def _draw(self, X: Any, sample_weight: Any) -> None:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        X, targets, weights = drop_zero_weights(X, np.zeros(X.shape[0]), sample_weight)
        n_features, data = X.shape[1], ArrayData(X, targets, weights)
        plan = Plan(self, self.resolve_method(), self.loss, solves_head=False, n_outputs=1)
        earlier = self._warm_start(n_features, plan.n_outputs)
        self._set_scaled_model(earlier or draw_initial(plan, data, open_context(self)))
        self.history_, self.n_iter_ = [], 0
        squares = np.square(self.frequencies_).mean(axis=(0, 2))
        self.feature_relevance_ = self.scaling_.gather(squares, n_features)

    def _learn_from(self, X: Any, y: Any, sample_weight: Any) -> None:
        kind = SpectralKernelRegressor if is_regression(y) else SpectralKernelClassifier
        learner = getattr(self, "_learner", None)
        if not (self.warm_start and isinstance(learner, kind)):
            learner = kind()
        known = learner.get_params(deep=False)
        own = {key: value for key, value in self.get_params(deep=False).items() if key in known}
        learner.set_params(**own).fit(X, y, sample_weight)
        self._learner = learner if self.warm_start else None
        for name in LEARNED:
            setattr(self, name, getattr(learner, name))
