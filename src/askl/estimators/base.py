"""What the classifier, the regressor and the transformer share around a trained model."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from askl.estimators.data import (
    BLOCK_ROWS,
    as_tensor,
    input_rows,
    normalized_weights,
    scaled_blocks,
)
from askl.estimators.fitting import (
    MIN_ROWS_TO_HOLD_OUT,
    Rows,
    Score,
    draw_model,
    make_objective,
    make_options,
    score_on,
    solve_exact_head,
    split_rows,
    thread_count,
    warn_of_early_end,
)
from askl.estimators.parameters import SpectralParameters
from askl.estimators.progress import show_progress
from askl.estimators.scaling import Array, fit_scaling
from askl.learning import (
    LOSSES,
    Method,
    Model,
    Progress,
    TensorRows,
    TrainingOptions,
    TrainingResult,
    compute_features,
    compute_outputs,
    train,
)
from askl.learning.backpropagation import Workspace, mean_squared_input_gradient
from askl.learning.exact import leverages
from askl.spectral import Layer

RELEVANCE_ROWS = 512


def _work(model: Model, n_rows: int) -> float:
    """Count the multiplications of one pass over some rows."""
    return float(n_rows) * sum(layer.frequencies.numel() for layer in model.layers)


class SpectralModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SpectralParameters):
    """A spectral kernel model with features, outputs and a kernel, but no task yet."""

    _loss_of_auto: str
    _optimizer_state: dict[str, Any] | None
    _posterior: tuple[Array, Array] | None
    head_strength_: float | None
    history_: list[Progress]

    @property
    def frequencies_(self) -> Array:
        """Learned frequencies of the layer that sees the inputs: (n_branches, d, D)."""
        check_is_fitted(self, "layers_")
        frequencies: Array = self.layers_[0][0]
        return frequencies

    @property
    def phases_(self) -> Array:
        """Phases of the layer that sees the inputs: (n_branches, D)."""
        check_is_fitted(self, "layers_")
        phases: Array = self.layers_[0][1]
        return phases

    @property
    def _n_features_out(self) -> int:
        return int(self.weights_.shape[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def transform(self, X: Any) -> Array:
        """Map inputs to the learned features φ(x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, width), float32
        """
        X = self._validate_inputs(X)
        model = self._model()
        result = np.empty((X.shape[0], model.layers[-1].width), dtype=np.float32)
        for rows, inputs in scaled_blocks(X, self.scaling_, self._torch_device()):
            result[rows] = compute_features(inputs, model.layers).cpu().numpy()
        return result

    def kernel(self, X: Any, Z: Any = None) -> Array:
        """Compute the learned kernel k(x, z) = ⟨φ(x), φ(z)⟩.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        Z : array-like or sparse matrix of shape (n_others, n_features), optional
            X itself by default.

        Returns
        -------
        ndarray of shape (n_samples, n_others), float64
        """
        left = self.transform(X).astype(np.float64)
        right = left if Z is None else self.transform(Z).astype(np.float64)
        matrix: Array = left @ right.T
        return matrix

    def report(self, X: Any, y: Any, path: Any, *, title: str | None = None) -> Any:
        """Write a self-contained HTML report of this model on some rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Best rows it was not trained on.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        path : str or Path
            Where to write it.
        title : str, optional

        Returns
        -------
        Path
            Where the file is. Needs matplotlib: ``pip install askl[plots]``.
        """
        # A shortcut upwards, at call time only: nothing here depends on the report.
        from askl.insight import write_report

        return write_report(self, X, y, path, title=title)

    def _torch_device(self) -> torch.device:
        return torch.device(self.device)

    def _model(self) -> Model:
        """Rebuild the tensors of the fitted arrays; on the CPU they share memory."""
        device = self._torch_device()
        layers = tuple(
            Layer(
                as_tensor(frequencies, device),
                as_tensor(phases, device),
                self.activation_,
            )
            for frequencies, phases in self.layers_
        )
        return Model(layers, as_tensor(self.weights_, device))

    def _keep(self, model: Model) -> None:
        """Show a model as fitted arrays; on the CPU they share memory while it trains."""
        self.layers_ = [
            (layer.frequencies.cpu().numpy(), layer.phases.cpu().numpy()) for layer in model.layers
        ]
        self.activation_ = model.layers[-1].activation
        self.weights_ = model.weights.cpu().numpy()

    def _validate_inputs(self, X: Any, **options: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric", **options)

    def _outputs(self, X: Any) -> Array:
        """Compute f(x) for raw inputs, in blocks, as float64."""
        X = self._validate_inputs(X)
        model = self._model()
        result = np.empty((X.shape[0], model.weights.shape[1]))
        workspace = Workspace()
        with thread_count(self.n_threads, _work(model, min(X.shape[0], BLOCK_ROWS))):
            for rows, inputs in scaled_blocks(X, self.scaling_, self._torch_device()):
                outputs = compute_outputs(inputs, model, workspace=workspace)
                result[rows] = outputs.cpu().numpy()
        return result

    def _leverages(self, X: Any, factor: Array) -> Array:
        """Compute the leverage of every row under a Cholesky factor, in blocks."""
        X = self._validate_inputs(X)
        layers, lower = self._model().layers, torch.from_numpy(factor).to(self._torch_device())
        result = np.empty(X.shape[0])
        for rows, inputs in scaled_blocks(X, self.scaling_, self._torch_device()):
            result[rows] = leverages(compute_features(inputs, layers), lower).cpu().numpy()
        return result

    def _loss_name(self) -> str:
        name = self._loss_of_auto if self.loss == "auto" else self.loss
        wanted = LOSSES[self._loss_of_auto].task
        if LOSSES[name].task != wanted:
            fitting = sorted(key for key, row in LOSSES.items() if row.task == wanted)
            raise ValueError(
                f"The 'loss' parameter of {type(self).__name__} must be 'auto' or one of "
                f"{fitting}. "
                f"Got {name!r} instead, a loss for {LOSSES[name].task}."
            )
        return name

    def _fit_model(
        self,
        X: Any,
        targets: Array,
        sample_weight: Array | None,
        *,
        n_outputs: int,
        score: Score,
    ) -> None:
        """Scale, draw, train, solve the head exactly where that is asked, and keep the arrays."""
        method, loss = self._resolved_method(), self._loss_name()
        device = self._torch_device()
        generator = self._start(X, sample_weight, method, n_outputs)
        model = self._model().copy() if self.warm_start else self._model()
        self._keep(model)
        rows = TensorRows(
            input_rows(X, self.scaling_, device),
            torch.from_numpy(targets).to(device),
            normalized_weights(sample_weight, device),
        )
        exact = loss == "squared" and self.refit_head is not False
        choosing = exact and not self._strength_is_known(method)
        split = self._split(rows, generator, choosing=choosing)
        options = make_options(self, method, model, len(split.train.targets))
        with thread_count(self.n_threads, _work(model, options.batch_size)):
            self._train(model, split, method, loss, options, generator, score, exact=exact)
            self._keep(model)
            self._measure_relevance(rows, model)

    def _measure_relevance(self, rows: TensorRows, model: Model) -> None:
        """Keep the mean squared gradient for each input, its scaled copies added up."""
        sample = rows.rows(torch.arange(min(RELEVANCE_ROWS, len(rows.targets)))).inputs
        relevance = mean_squared_input_gradient(sample, model).cpu().numpy().astype(np.float64)
        self.feature_relevance_ = relevance.reshape(self.scaling_.n_copies, -1).sum(axis=0)

    def _fit_more(
        self, X: Any, targets: Array, sample_weight: Array | None, *, n_outputs: int
    ) -> None:
        """Train one epoch at constant rates, going on where the last call left."""
        method, device = self._resolved_method(), self._torch_device()
        if not hasattr(self, "layers_"):
            self._start(X, sample_weight, method, n_outputs)
            self.history_, self.n_iter_ = [], 0
        model = self._model()
        rows = TensorRows(
            input_rows(X, self.scaling_, device),
            torch.from_numpy(targets).to(device),
            normalized_weights(sample_weight, device),
        )
        options = make_options(self, method, model, len(targets))
        options = options._replace(max_epochs=1, schedule="constant", patience=None)
        generator = torch.Generator().manual_seed(self.seed_ + self.n_iter_ + 1)
        with thread_count(self.n_threads, _work(model, options.batch_size)):
            result = train(
                model,
                make_objective(self._loss_name(), method),
                rows,
                options,
                generator=generator,
                optimizer_state=self._optimizer_state,
            )
            self._measure_relevance(rows, model)
        warn_of_early_end(result, self)
        self._keep(model)
        self._optimizer_state = result.optimizer_state
        self.head_strength_ = self._posterior = None  # they were those of another head
        self.history_ = [*self.history_, *result.history]
        self.n_iter_ += 1

    def _start(
        self, X: Any, sample_weight: Array | None, method: Method, n_outputs: int
    ) -> torch.Generator:
        """Scale and draw afresh, or go on from the last fit; return the fit's generator."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        generator = torch.Generator().manual_seed(seed)
        if self.warm_start and self._fits(X.shape[1], n_outputs):
            return generator
        self.seed_ = seed
        self.scaling_ = fit_scaling(X, self.scale_inputs, sample_weight)
        device = self._torch_device()
        width = X.shape[1] * self.scaling_.n_copies
        self._keep(draw_model(self, method, width, n_outputs, generator, device))
        self._optimizer_state = self._posterior = None
        return generator

    def _fits(self, n_features: int, n_outputs: int) -> bool:
        """Say whether the last fit is of this shape, so that a warm start can go on from it."""
        if not hasattr(self, "layers_"):
            return False
        shapes = [frequencies.shape for frequencies, _ in self.layers_]
        return (
            self.weights_.shape[1] == n_outputs
            and shapes[0][1] == n_features * self.scaling_.n_copies
            and [shape[2] for shape in shapes] == [*self.hidden_components, self.n_components]
        )

    def _split(self, rows: TensorRows, generator: torch.Generator, *, choosing: bool) -> Rows:
        enough = len(rows.targets) >= MIN_ROWS_TO_HOLD_OUT
        if not (self.early_stopping or (choosing and enough)):
            return Rows(rows, None)
        stratify = rows.targets.ndim == 1
        return split_rows(rows, self.validation_fraction, generator, stratify=stratify)

    def _train(
        self,
        model: Model,
        split: Rows,
        method: Method,
        loss: str,
        options: TrainingOptions,
        generator: torch.Generator,
        score: Score,
        *,
        exact: bool,
    ) -> None:
        result = TrainingResult([], "max_epochs", 0)
        if method.learn_frequencies or not exact:
            evaluate = score_on(split.held_out, score)
            bar = show_progress(type(self).__name__, options.max_epochs)
            with bar if self.verbose else nullcontext() as advance:

                def callback(progress: Progress, model: Model) -> None:
                    if advance is not None:
                        advance(progress)
                    if self.callback is not None:
                        self._keep(model)  # off the CPU the fitted arrays are copies
                        self.callback(progress, self)

                result = train(
                    model,
                    make_objective(loss, method),
                    split.train,
                    options,
                    generator=generator,
                    score=evaluate,
                    callback=callback,
                )
        self.history_ = result.history
        self.n_iter_ = result.n_epochs
        warn_of_early_end(result, self)
        self.head_strength_ = self._posterior = None
        if exact and result.stop != "interrupted":
            fixed = self._strength_is_known(method) or split.held_out is None
            head = solve_exact_head(model, split, method.head_penalty if fixed else None)
            self.head_strength_ = head.strength
            self._posterior = (
                head.factor.cpu().numpy().astype(np.float32),
                head.noise.cpu().numpy(),
            )

    def _strength_is_known(self, method: Method) -> bool:
        """Say whether λ₁ is an exact head's strength: it is named, and of the same norm."""
        return method.head_norm == "frobenius" and self.head_penalty is not None
