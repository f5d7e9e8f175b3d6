"""What the classifier, the regressor and the transformer share around a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from askl._typing import Array
from askl.estimators.inputs import BLOCK_ROWS, as_tensor, scaled_blocks
from askl.estimators.parameters import SpectralParameters
from askl.estimators.threads import thread_count, work
from askl.learning import LOSSES, Model, Progress, compute_features, compute_outputs
from askl.learning.model import Workspace
from askl.learning.ridge import leverages
from askl.persistence.save_load import save
from askl.preprocessing.validation import validate_numbers
from askl.spectral import Layer


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

    def save(self, path: Any) -> Path:
        """Write this fitted model to one file; :func:`askl.load` reads it.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path
            Where the file is.
        """
        return save(self, path)

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
        return validate_numbers(self, X, reset=False, **options)

    def _outputs(self, X: Any) -> Array:
        """Compute f(x) for raw inputs, in blocks, as float64."""
        X = self._validate_inputs(X)
        model = self._model()
        result = np.empty((X.shape[0], model.weights.shape[1]))
        workspace = Workspace()
        with thread_count(self.n_threads, work(model, min(X.shape[0], BLOCK_ROWS))):
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
