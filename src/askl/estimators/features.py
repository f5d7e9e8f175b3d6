"""Spectral features as a transformer."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.fit import SpectralLearner
from askl.estimators.regressor import SpectralKernelRegressor
from askl.preprocessing.validation import drop_zero_weights, is_regression, validate_numbers


class SpectralFeatures(SpectralLearner):
    """Map inputs to spectral features: random as drawn, or learned when given ``y``.

    Stands where scikit-learn's ``RBFSampler`` stands. Without ``y`` (or with ``method="sk"`` or
    ``"nsk"``) frequencies stay as drawn from the density. With ``y`` they are learned by the
    classifier or the regressor, whichever the type of ``y`` asks for, with these parameters.

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

    def resolve_loss(self) -> str:
        """Return the parameter as it is: what "auto" stands for depends on the targets.

        Returns
        -------
        str
        """
        return self.loss

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SpectralFeatures:
        """Draw frequencies, and learn them where ``y`` is given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        SpectralFeatures
            The fitted transformer.
        """
        self.check_parameters()
        checked = validate_numbers(self, X)
        method = self.resolve_method()
        if y is None or not method.learn_frequencies:
            self._draw(checked, sample_weight)
            self.history_, self.n_iter_ = [], 0
            squares = np.square(self.frequencies_).mean(axis=(0, 2))
            self.feature_relevance_ = self.scaling_.gather(squares, self.n_features_in_)
        else:
            self._learn_from(X, y, sample_weight)
        return self

    def _draw(self, X: Any, sample_weight: Any) -> None:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        X, _, weights = drop_zero_weights(X, np.zeros(X.shape[0]), sample_weight)
        self._start(X.shape[1], 1, partial(self._fit_scaling, X, weights))

    def _learn_from(self, X: Any, y: Any, sample_weight: Any) -> None:
        kind = SpectralKernelRegressor if is_regression(y) else SpectralKernelClassifier
        learner = getattr(self, "_learner", None)
        if not (self.warm_start and isinstance(learner, kind)):
            learner = kind()
        learner.set_params(**self.get_params(deep=False)).fit(X, y, sample_weight)
        self._learner = learner if self.warm_start else None
        for name in ("seed_", "scaling_", "layers_", "activation_", "weights_", "history_"):
            setattr(self, name, getattr(learner, name))
        self.n_iter_, self.feature_relevance_ = learner.n_iter_, learner.feature_relevance_
