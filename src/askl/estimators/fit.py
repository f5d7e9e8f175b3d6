"""The fit that the classifier, the regressor and the transformer share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from torch import Tensor

from askl._typing import Array
from askl.errors import DistributedError
from askl.estimators.base import SpectralModel
from askl.estimators.build import draw_model, make_objective, make_options
from askl.estimators.input_transform import (
    InputTransform,
    decorrelate_inputs,
    shorten,
    weigh_inputs,
)
from askl.estimators.inputs import input_rows, normalized_weights
from askl.estimators.parameters import SpectralParameters
from askl.estimators.progress import show_progress
from askl.estimators.split import MIN_ROWS_TO_HOLD_OUT, Score, score_on, split_rows
from askl.estimators.symmetry_augmentation import PermutedRows, scaled_orders
from askl.estimators.threads import thread_count, work
from askl.learning import (
    Model,
    Progress,
    Source,
    TensorRows,
    TrainingOptions,
    TrainingResult,
    train,
)
from askl.learning.gradients import mean_squared_input_gradient
from askl.learning.heads.exact_head import solve_exact_head
from askl.learning.parallel.process_group import ProcessGroup, join_process_group
from askl.learning.sources import Split
from askl.persistence.checkpoint import (
    Checkpoint,
    describe_parameters,
    digest_rows,
    digest_tensors,
    read_seed,
)
from askl.preprocessing.column_orders import complete_symmetries, pool_columns
from askl.preprocessing.input_scaling import Scaling, fit_scaling

RELEVANCE_ROWS = 512


def first_inputs(rows: TensorRows) -> Tensor:
    """Return the inputs of the first rows, on which relevance is measured."""
    return rows.rows(torch.arange(min(RELEVANCE_ROWS, rows.n_samples))).inputs


class SpectralLearner(SpectralModel):
    """A spectral kernel model that learns from rows with encoded targets."""

    def _fit_model(
        self,
        X: Any,
        targets: Array,
        sample_weight: Array | None,
        *,
        n_outputs: int,
        score: Score,
        measure_relevance: bool,
    ) -> None:
        """Scale, draw, hold out rows where that is asked, and learn."""
        scale = partial(self._fit_scaling, X, sample_weight)
        generator = self._start(X.shape[1], n_outputs, scale, seed=self._kept_seed())
        rows = self._rows(X, targets, sample_weight)
        split = self._split(rows, generator)
        digest = partial(digest_rows, X, targets, sample_weight)
        self._learn(split, generator, score, first_inputs(rows), digest, measure_relevance)

    def _learn(
        self,
        split: Split,
        generator: torch.Generator,
        score: Score,
        sample: Tensor,
        digest: Callable[[], str],
        measure_relevance: bool = True,
    ) -> None:
        """Train, solve the head exactly where that is asked, and keep the arrays."""
        self._check_same_data(digest)
        split = split._replace(train=self._augment(split.train))
        method = self.resolve_method()
        model = self._model().copy() if self.warm_start else self._model()
        self._keep(model)
        options = make_options(self, method, model, split.train.n_samples)
        with thread_count(self.n_threads, work(model, options.batch_size)):
            result = TrainingResult([], "max_epochs", 0)
            checkpoint = None
            if method.learn_frequencies or not self.solves_head():
                checkpoint = self._checkpoint(model, split, options, digest)
                result = self._descend(model, split, options, generator, score, sample, checkpoint)
            self.history_, self.n_iter_ = result.history, result.n_epochs
            warn_of_early_end(result, self)
            self.head_strength_ = self._posterior = None
            if self.solves_head() and result.stop != "interrupted":
                self._solve_head(model, split)
            self._keep(model)
            if measure_relevance:
                self._measure_relevance(sample, model)
        if checkpoint is not None and result.stop != "interrupted":
            checkpoint.remove()

    def _descend(
        self,
        model: Model,
        split: Split,
        options: TrainingOptions,
        generator: torch.Generator,
        score: Score,
        sample: Tensor,
        checkpoint: Checkpoint | None,
    ) -> TrainingResult:
        objective = make_objective(self.resolve_loss(), self.resolve_method())
        evaluate, group, mixing = score_on(split.held_out, score), self._group(), InputTransform()
        is_fresh = bool(options.learning_rates) and not model.weights.any()
        if is_fresh and self.decorrelate_inputs:
            rotation = decorrelate_inputs(split.train)
            mixing = InputTransform(
                rotation if group is None else group.broadcast(lambda: rotation)
            )
        if is_fresh and self.weigh_inputs:
            first, seeded = model.copy(), torch.Generator().manual_seed(self.seed_)
            rows = mixing.rows(split.train)
            result = train(first, objective, rows, shorten(options), generator=seeded, group=group)
            if result.stop == "interrupted":
                model.copy_from(mixing.plain(first))
                return result
            relevance = mean_squared_input_gradient(mixing.mix(sample), first)
            mixing = mixing._replace(weights=weigh_inputs(relevance))
        rows = mixing.rows(split.train)
        bar = show_progress(type(self).__name__, options.max_epochs)
        deferred = checkpoint.signals_deferred() if checkpoint else nullcontext()
        shown = self.verbose and (group is None or group.is_first)
        with deferred, bar if shown else nullcontext() as advance:

            def callback(progress: Progress, model: Model) -> None:
                if advance is not None:
                    advance(progress)
                if self.callback is not None:
                    self._keep(mixing.plain(model))  # off the CPU the fitted arrays are copies
                    self.callback(progress, self)

            result = train(
                model,
                objective,
                rows,
                options,
                generator=generator,
                score=evaluate and (lambda model: evaluate(mixing.plain(model))),
                callback=callback,
                checkpointer=checkpoint,
                group=group,
            )
        model.copy_from(mixing.plain(model))
        return result

    def _solve_head(self, model: Model, split: Split) -> None:
        fixed = self._strength_is_known() or split.held_out is None
        strength = self.resolve_method().head_penalty if fixed else None
        head = solve_exact_head(model, split, strength)
        self.head_strength_ = head.strength
        self._posterior = (
            head.factor.cpu().numpy().astype(np.float32),
            head.noise.cpu().numpy(),
        )

    def _measure_relevance(self, sample: Tensor, model: Model) -> None:
        """Keep the mean squared gradient for each input, its scaled copies added up."""
        relevance = mean_squared_input_gradient(sample, model).cpu().numpy().astype(np.float64)
        self.feature_relevance_ = self.scaling_.gather(relevance, self.n_features_in_)

    def _fit_more(
        self, X: Any, targets: Array, sample_weight: Array | None, *, n_outputs: int
    ) -> None:
        """Train one epoch at constant rates, going on where the last call left."""
        method = self.resolve_method()
        if not hasattr(self, "layers_"):
            scale = partial(self._fit_scaling, X, sample_weight)
            self._start(X.shape[1], n_outputs, scale)
            self.history_, self.n_iter_ = [], 0
        model = self._model()
        plain = self._rows(X, targets, sample_weight)
        rows = self._augment(plain)
        options = make_options(self, method, model, len(targets))
        options = options._replace(max_epochs=1, schedule="constant", patience=None)
        generator = torch.Generator().manual_seed(self.seed_ + self.n_iter_ + 1)
        with thread_count(self.n_threads, work(model, options.batch_size)):
            result = train(
                model,
                make_objective(self.resolve_loss(), method),
                rows,
                options,
                generator=generator,
                optimizer_state=self._optimizer_state,
                group=self._group(),
            )
            self._measure_relevance(first_inputs(plain), model)
        warn_of_early_end(result, self)
        self._keep(model)
        self._optimizer_state = result.optimizer_state
        self.head_strength_ = self._posterior = None  # they were those of another head
        self.history_ = [*self.history_, *result.history]
        self.n_iter_ += 1

    def _group(self) -> ProcessGroup | None:
        return join_process_group(self._torch_device()) if self.distributed else None

    def _check_same_data(self, digest: Callable[[], str]) -> None:
        group = self._group()
        if group is not None and (own := digest()) != group.broadcast(lambda: own):
            raise DistributedError(
                "The processes of a distributed fit must all have the same rows. Those of process "
                f"{group.shard.rank} are not those of process 0. Give every process all rows: "
                "fit shares them out."
            )

    def _draw_seed(self) -> int:
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        group = self._group()
        return seed if group is None else group.broadcast(lambda: seed)

    def _start(
        self,
        n_features: int,
        n_outputs: int,
        scale: Callable[[], Scaling],
        *,
        seed: int | None = None,
    ) -> torch.Generator:
        """Scale and draw afresh, or go on from the last fit; return the fit's generator."""
        seed = self._draw_seed() if seed is None else seed
        generator = torch.Generator().manual_seed(seed)
        if not (self.warm_start and self._fits(n_features, n_outputs)):
            self.seed_, self.scaling_ = seed, scale()
            width = len(self.scaling_.sources(n_features))
            method, device = self.resolve_method(), self._torch_device()
            self._keep(draw_model(self, method, width, n_outputs, generator, device))
            self._optimizer_state = self._posterior = None
        return generator

    def _orders(self, n_features: int) -> Array | None:
        """Return the orders of the columns that leave the target as it is, where there are any."""
        if not self.symmetries:
            return None
        return complete_symmetries(self.symmetries, n_features)

    def _fit_scaling(self, X: Any, sample_weight: Array | None) -> Scaling:
        """Fit the scaling, alike for columns that may change places."""
        orders = self._orders(X.shape[1])
        if orders is not None:
            X = pool_columns(X, orders)
        return fit_scaling(X, self.scale_inputs, sample_weight)

    def _augment(self, rows: Source) -> Source:
        """Let training see every row in all orders that the symmetries allow."""
        orders = self._orders(self.n_features_in_)
        if orders is None:
            return rows
        return PermutedRows(rows, scaled_orders(orders, self.scaling_).to(self._torch_device()))

    def _fits(self, n_features: int, n_outputs: int) -> bool:
        """Say whether the last fit is of this shape, so that a warm start can go on from it."""
        if not hasattr(self, "layers_"):
            return False
        shapes = [frequencies.shape for frequencies, _ in self.layers_]
        return (
            self.weights_.shape[1] == n_outputs
            and shapes[0][1] == len(self.scaling_.sources(n_features))
            and [shape[2] for shape in shapes] == [*self.hidden_components, self.n_components]
        )

    def _rows(self, X: Any, targets: Array, sample_weight: Array | None) -> TensorRows:
        device = self._torch_device()
        return TensorRows(
            input_rows(X, self.scaling_, device),
            torch.from_numpy(targets).to(device),
            normalized_weights(sample_weight, device),
        )

    def _split(self, rows: TensorRows, generator: torch.Generator) -> Split:
        if not self._holds_out(rows.n_samples):
            return Split(rows, None)
        stratify = rows.targets.ndim == 1
        return split_rows(rows, self.validation_fraction, generator, stratify=stratify)

    def _holds_out(self, n_samples: int) -> bool:
        """Say whether rows are held out: to stop early, or to choose an exact head's strength."""
        choosing = self.solves_head() and not self._strength_is_known()
        return self.early_stopping or (choosing and n_samples >= MIN_ROWS_TO_HOLD_OUT)

    def _strength_is_known(self) -> bool:
        """Say whether λ₁ is an exact head's strength: it is named, and of the same norm."""
        return self.resolve_method().head_norm == "frobenius" and self.head_penalty is not None

    def _kept_seed(self) -> int | None:
        """Return the seed of the fit to go on with, unless the user's own decides."""
        if self.checkpoint is None or isinstance(self.random_state, Integral):
            return None
        group, read = self._group(), partial(read_seed, self.checkpoint)
        return read() if group is None else group.broadcast(read)

    def _checkpoint(
        self, model: Model, split: Split, options: TrainingOptions, digest: Callable[[], str]
    ) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        fit = {
            "estimator": type(self).__name__,
            **describe_parameters(self.get_params(deep=False)),
            "seed": str(self.seed_),
            "data": digest(),
            "first model": digest_tensors(model.tensors()),
        }
        every = self.checkpoint_every or split.train.n_batches(options.batch_size)
        return Checkpoint(self.checkpoint, fit, every, self._group())


def warn_of_early_end(result: TrainingResult, parameters: SpectralParameters) -> None:
    """Tell the user when training ended for a reason other than being done."""
    if result.stop == "diverged":
        warnings.warn(
            f"Training diverged in epoch {result.n_epochs + 1} and kept its best state so far. "
            f"Lower learning_rate={parameters.learning_rate} or "
            f"head_learning_rate={parameters.head_learning_rate:g}.",
            ConvergenceWarning,
            stacklevel=5,
        )
    elif result.stop == "interrupted":
        warnings.warn(
            f"Training was interrupted after {result.n_epochs} epochs; "
            "the model trained so far is kept.",
            ConvergenceWarning,
            stacklevel=5,
        )
