"""What the classifier and the regressor share: learning from arrays, from streams and in parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from askl._typing import Array
from askl.estimators.base import SpectralModel, restored_on_error
from askl.estimators.build import FitContext, Plan, ScaledModel, open_context
from askl.estimators.fit import FitResult, draw_initial, fit_model, fit_part
from askl.estimators.inputs import BLOCK_ROWS
from askl.estimators.progress import warn_of_early_end
from askl.estimators.split import HeldOut
from askl.estimators.threads import count_multiplications, use_threads
from askl.estimators.training_data import ArrayData, StreamData, TrainingData
from askl.learning import Progress, compute_features, compute_outputs
from askl.learning.heads.exact_head import ExactHead
from askl.learning.heads.ridge import leverages
from askl.learning.model import Workspace
from askl.learning.optimizers import Moments
from askl.preprocessing.validation import check_eval_set
from askl.streaming.rows import Stream
from askl.streaming.sources import open_source
from askl.streaming.statistics import StreamStatistics, collect_statistics

Predictor = TypeVar("Predictor", bound="SpectralPredictor")


class CheckedRows(NamedTuple):
    """Validated inputs, targets as the user gave them, and weights, without rows of weight zero."""

    X: Any
    y: Array
    sample_weight: Array | None


class SpectralPredictor(SpectralModel, ABC):
    """A spectral kernel model that learns from rows with targets."""

    _optimizer_state: Moments | None

    def fit(
        self: Predictor, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None
    ) -> Predictor:
        """Learn frequencies and weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels of any type for a classifier. Numbers for a regressor, with a column for each
            output.
        sample_weight : array-like of shape (n_samples,), optional
        eval_set : tuple (X, y), optional
            Your own rows to hold out, in place of some of the others. They choose the best epoch
            and the penalty of the head; nothing else is learned from them.

        Returns
        -------
        self
            Fitted. If ``fit`` raises an error, the estimator stays as it was.
        """
        return self._fit(X, y, sample_weight, eval_set)

    def fit_for_selection(
        self: Predictor, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None
    ) -> Predictor:
        """Fit as :meth:`fit` does, but without ``feature_relevance_``.

        It saves time for models that are only compared: everything else is the same, to the bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
        eval_set : tuple (X, y), optional

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, eval_set, measure_relevance=False)

    def fit_stream(self: Predictor, source: Any, target: Any = None) -> Predictor:
        """Learn from more rows than fit in memory: they are read again in every epoch.

        Parameters
        ----------
        source : path, pyarrow.dataset.Dataset, or callable
            A Parquet, Arrow or CSV file or a folder of them (needs ``pip install askl[arrow]``);
            or a callable that returns a new iterator of chunks, each time the same ones: pairs
            ``(X, y)``, or tables that contain the target. All inputs must be numbers.
        target : str or sequence of str, optional
            Name of the column to predict; a regressor also takes several. Required where columns
            have names.

        Returns
        -------
        self
            Fitted. If ``fit_stream`` raises an error, the estimator stays as it was.

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
        with restored_on_error(self):
            self.check_parameters()
            context = open_context(self, resume=True)
            partitions, collected = open_source(source, target), self._target_statistics()
            statistics = collect_statistics(partitions, context.seed, collected.add)
            self._set_feature_names(statistics.X.shape[1], partitions.feature_names)
            class_weights = self._check_stream(statistics, collected)
            stream = Stream(partitions, statistics, context.seed)
            result = self._learn(StreamData(stream, self._encode, class_weights), context)
            self._correct_mean(CheckedRows(statistics.X, statistics.y, None))
            self._set_held_out_score(result.held_out)
        warn_of_early_end(result.training, self)
        return self

    def _fit(
        self: Predictor,
        X: Any,
        y: Any,
        sample_weight: Any,
        eval_set: Any,
        *,
        measure_relevance: bool = True,
    ) -> Predictor:
        with restored_on_error(self):
            self.check_parameters()
            rows = self._check_rows(X, y, sample_weight)
            given = None if eval_set is None else check_eval_set(self, eval_set)
            held_out = None if given is None else (given[0], self._encode(given[1]))
            data = ArrayData(rows.X, self._encode(rows.y), rows.sample_weight, held_out)
            context = open_context(self, resume=True)
            result = self._learn(data, context, measure_relevance=measure_relevance)
            self._correct_mean(rows)
            self._set_held_out_score(result.held_out)
        warn_of_early_end(result.training, self)
        return self

    def _learn(
        self, data: TrainingData, context: FitContext, *, measure_relevance: bool = True
    ) -> FitResult:
        """Run the stages of a fit, and set the fitted attributes."""
        earlier = self._warm_start(data.n_features, self._n_outputs)
        result = fit_model(
            self._plan(),
            data,
            context,
            earlier=earlier,
            callback=None if self.callback is None else self._call_back,
            measure_relevance=measure_relevance,
        )
        self._set_result(result)
        if earlier is None:
            self._optimizer_state = None
        self.history_, self.n_iter_ = result.training.history, result.training.n_epochs
        return result

    def _fit_part(
        self: Predictor, X: Any, y: Any, sample_weight: Any, classes: Any = None
    ) -> Predictor:
        """Train one more epoch, on some rows; the first call also draws the model."""
        is_first = not hasattr(self, "layers_")
        with restored_on_error(self):
            if is_first:
                self.check_parameters()
            rows = self._check_part(X, y, sample_weight, classes, is_first=is_first)
            data = ArrayData(rows.X, self._encode(rows.y), rows.sample_weight)
            plan = self._plan()
            if is_first:
                earlier, self._optimizer_state = draw_initial(plan, data, open_context(self)), None
                self.history_, self.n_iter_ = [], 0
            else:
                earlier = self._last_fit()
            context = open_context(self, seed=earlier.seed + self.n_iter_ + 1)
            result = fit_part(
                plan, data, context, earlier=earlier, optimizer_state=self._optimizer_state
            )
            self._set_result(result)
            self._optimizer_state = result.training.optimizer_state
            self.history_ = [*self.history_, *result.training.history]
            self.n_iter_ += 1
            self._correct_mean(rows)
            self._set_held_out_score(None)
        warn_of_early_end(result.training, self)
        return self

    def _outputs(self, X: Any) -> Array:
        """Compute f(x) for validated inputs, as float64."""
        model, workspace = self._model(), Workspace()
        result = np.empty((X.shape[0], model.weights.shape[1]))
        n_multiplications = count_multiplications(model, min(X.shape[0], BLOCK_ROWS))
        with use_threads(self.n_threads, n_multiplications):
            return self._fill(
                result, X, lambda inputs: compute_outputs(inputs, model, workspace=workspace)
            )

    def _leverages(self, X: Any, factor: Array) -> Array:
        """Compute the leverage of validated rows under a Cholesky factor."""
        layers, lower = self._model().layers, torch.from_numpy(factor).to(self._torch_device())
        result = np.empty(X.shape[0])
        return self._fill(
            result, X, lambda inputs: leverages(compute_features(inputs, layers), lower)
        )

    def _plan(self) -> Plan:
        return Plan(
            self,
            self.resolve_method(),
            self.resolve_loss(),
            self.solves_head(),
            self._n_outputs,
            self._score,
        )

    def _call_back(self, progress: Progress, current: ScaledModel) -> None:
        """Call the user's callback with this estimator, as it is during training."""
        self._set_scaled_model(current)
        if self.callback is not None:
            self.callback(progress, self)

    def _set_result(self, result: FitResult) -> None:
        self._set_scaled_model(result.fitted)
        if result.head is not None:
            self.head_strength_ = result.head.strength
        if isinstance(result.head, ExactHead):
            factor, noise = result.head.factor.cpu().numpy(), result.head.noise.cpu().numpy()
            self._posterior = factor.astype(np.float32), noise
        self.__dict__.pop("feature_relevance_", None)
        if result.relevance is not None:
            self.feature_relevance_ = result.relevance

    def _set_held_out_score(self, held_out: HeldOut | None) -> None:
        """Score held-out rows in the unit of the targets, in which training may not."""
        self.held_out_score_ = None if held_out is None else self._score_held_out(held_out)

    def _set_feature_names(self, n_features: int, names: Sequence[str] | None) -> None:
        self.n_features_in_ = n_features
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    @staticmethod
    @abstractmethod
    def _score(outputs: Tensor, targets: Tensor, sample_weights: Tensor | None) -> float:
        """Score outputs on held-out rows; higher is better."""

    @abstractmethod
    def _score_held_out(self, held_out: HeldOut) -> float | None:
        """Score held-out rows as :meth:`score` does."""

    @property
    @abstractmethod
    def _n_outputs(self) -> int:
        """The number of outputs, once targets have been checked."""

    @abstractmethod
    def _check_rows(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        """Validate the rows of a fit, and set what is needed to encode their targets."""

    @abstractmethod
    def _check_part(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, *, is_first: bool
    ) -> CheckedRows:
        """Validate the rows of a part; the first one sets what is needed to encode targets."""

    @abstractmethod
    def _target_statistics(self) -> Any:
        """Return what is to collect the targets of a stream; it has a method ``add``."""

    @abstractmethod
    def _check_stream(self, statistics: StreamStatistics, collected: Any) -> Array | None:
        """Set what is needed to encode the targets of a stream; return weights of classes."""

    @abstractmethod
    def _encode(self, y: Array) -> Array:
        """Return targets as the loss takes them."""

    def _correct_mean(self, rows: CheckedRows) -> None:
        """Correct what training on another scale of the targets does to their mean."""
