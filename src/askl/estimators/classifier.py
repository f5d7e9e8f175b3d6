"""The spectral kernel classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import torch
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch import Tensor

from askl._typing import Array
from askl.estimators.streaming_fit import StreamLearner
from askl.learning import LOSSES, Progress
from askl.preprocessing.labels import LabelCounts, check_labels, class_indices, weigh_classes
from askl.preprocessing.parameter_validation import NONE, Constraint, instance, one_of
from askl.preprocessing.validation import drop_zero_weights, validate_numbers
from askl.spectral.densities import Phases


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


class SpectralKernelClassifier(ClassifierMixin, StreamLearner):
    """Classify with a learned, non-stationary spectral kernel.

    The model is f(x) = Wᵀφ(x), one output for each class, where the spectral features φ and the
    weights W are learned together (Automated Spectral Kernel Learning, AAAI 2020).

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
        Of numbers to predict, which classes are not.
    refit_head : bool or "auto", default="auto"
        Whether to solve W exactly at the end, for squared loss. ``"auto"``: yes.
    n_branches : int or None, default=None
        1 for a stationary, 2 for a non-stationary kernel. None: the method's.
    learn_frequencies : bool or None, default=None
        Whether frequencies are learned or stay as drawn. None: the method's.
    head_norm : {"trace", "frobenius"} or None, default=None
        The norm on W. None: the method's.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
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
    classes_ : ndarray of shape (n_classes,)
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
    >>> from askl import SpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=100, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    _loss_of_auto = "smoothed_log"
    _constraints: ClassVar[dict[str, Constraint]] = {
        **StreamLearner._constraints,
        "class_weight": NONE | one_of(["balanced"]) | instance(dict, "a dict of class weights"),
    }

    def __init__(
        self,
        method: str = "askl",
        *,
        n_components: int = 1000,
        hidden_components: tuple[int, ...] = (),
        activation: str = "cosine",
        frequency_scale: float | str = "auto",
        density: str = "sparse",
        phases: Phases = "shared",
        loss: str = "auto",
        head_penalty: float | None = None,
        feature_penalty: float | None = None,
        optimizer: str = "adam",
        learning_rate: float | str = "auto",
        head_learning_rate: float = 0.05,
        schedule: str = "cosine",
        batch_size: int | str = "auto",
        max_epochs: int = 30,
        dropout: float = 0.1,
        input_noise: float = 0.0,
        symmetries: Sequence[Sequence[int]] | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        scale_inputs: str = "robust",
        decorrelate_inputs: bool = False,
        weigh_inputs: bool = False,
        scale_targets: str = "standard",
        refit_head: bool | str = "auto",
        n_branches: int | None = None,
        learn_frequencies: bool | None = None,
        head_norm: str | None = None,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        device: str = "cpu",
        n_threads: int | None = None,
        record_every: int | None = None,
        callback: Callable[[Progress, Any], None] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int | None = None,
        distributed: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            method,
            n_components=n_components,
            hidden_components=hidden_components,
            activation=activation,
            frequency_scale=frequency_scale,
            density=density,
            phases=phases,
            loss=loss,
            head_penalty=head_penalty,
            feature_penalty=feature_penalty,
            optimizer=optimizer,
            learning_rate=learning_rate,
            head_learning_rate=head_learning_rate,
            schedule=schedule,
            batch_size=batch_size,
            max_epochs=max_epochs,
            dropout=dropout,
            input_noise=input_noise,
            symmetries=symmetries,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            scale_inputs=scale_inputs,
            decorrelate_inputs=decorrelate_inputs,
            weigh_inputs=weigh_inputs,
            scale_targets=scale_targets,
            refit_head=refit_head,
            n_branches=n_branches,
            learn_frequencies=learn_frequencies,
            head_norm=head_norm,
            warm_start=warm_start,
            device=device,
            n_threads=n_threads,
            record_every=record_every,
            callback=callback,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            distributed=distributed,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

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
