"""What every fitted estimator can do: features, a kernel, and a read-only view of its model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import torch
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from askl._typing import Array
from askl.estimators.build import ScaledModel, resolve_loss, resolve_method
from askl.estimators.inputs import as_tensor, prediction_blocks, scaled_blocks
from askl.estimators.parameters import SpectralParameters
from askl.learning import Method, Model, Progress, compute_features
from askl.persistence.save_load import save
from askl.preprocessing.input_scaling import Scaling
from askl.preprocessing.parameter_table import INPUT_ATTRIBUTES, check_declared
from askl.preprocessing.validation import validate_numbers
from askl.spectral import Layer

# What every fitted estimator has, for the Attributes section of its documentation.
FITTED_ATTRIBUTES = (
    """\
frequencies_ : ndarray of shape (n_branches, n_features, n_components)
    Learned frequencies of the layer that sees the inputs.
phases_ : ndarray of shape (n_branches, n_components)
layers_ : list of (frequencies, phases)
    All layers, from the first to the last.
weights_ : ndarray of shape (width, n_outputs)
    The head W.
feature_relevance_ : ndarray of shape (n_features,)
    Mean squared gradient of the outputs with respect to each scaled input.
history_ : list of Progress
    Loss, norms, objective and score during training.
n_iter_ : int
    Epochs trained.
"""
    + INPUT_ATTRIBUTES
)

Estimator = TypeVar("Estimator", bound="SpectralModel")


class FittedModel(NamedTuple):
    """What a fit has learned, and from which loss and method.

    Attributes
    ----------
    model : Model
        Layers and head. On the CPU they share memory with the fitted arrays: only for reading.
    loss : str
        A key of :data:`askl.learning.LOSSES`; of SpectralFeatures, the parameter as it is.
    method : Method
        The row of the method, with the fields that other parameters replace.
    scaling : Scaling
        From raw inputs to those of the first layer.
    """

    model: Model
    loss: str
    method: Method
    scaling: Scaling


class SpectralModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SpectralParameters):
    """A spectral kernel model of no particular task."""

    _default_loss: ClassVar[str | None] = None
    # The Cholesky factor of a head that was solved exactly, and the noise of each output.
    _posterior: tuple[Array, Array] | None
    layers_: list[tuple[Array, Array]]
    head_strength_: float | None
    history_: list[Progress]

    def check_parameters(self) -> None:
        """Raise a ValueError that names the first parameter whose value is not allowed."""
        check_declared(self)
        self.resolve_loss()

    def resolve_method(self) -> Method:
        """Return the row of the method, with the fields that other parameters replace.

        Returns
        -------
        Method
        """
        return resolve_method(self)

    def resolve_loss(self) -> str:
        """Return the name of the loss, with "auto" replaced where the task is known.

        Returns
        -------
        str
            A key of :data:`askl.learning.LOSSES`.
        """
        return self.loss if self._default_loss is None else resolve_loss(self, self._default_loss)

    def solves_head(self) -> bool:
        """Return whether ``fit`` solves the head exactly at the end.

        Returns
        -------
        bool
        """
        return False

    @property
    def frequencies_(self) -> Array:
        """Learned frequencies of the layer that sees the inputs: (n_branches, d, D)."""
        check_is_fitted(self, "layers_")
        return self.layers_[0][0]

    @property
    def phases_(self) -> Array:
        """Phases of the layer that sees the inputs: (n_branches, D)."""
        check_is_fitted(self, "layers_")
        return self.layers_[0][1]

    @property
    def fitted_model(self) -> FittedModel:
        """What the fit has learned, as tensors: for reading only.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from askl import SpectralKernelClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> classifier = SpectralKernelClassifier(n_components=20, random_state=0).fit(X, y)
        >>> fitted = classifier.fitted_model
        >>> fitted.loss, fitted.method.n_branches, fitted.model.weights.shape
        ('smoothed_log', 2, torch.Size([20, 3]))
        """
        check_is_fitted(self, "layers_")
        return FittedModel(self._model(), self.resolve_loss(), self.resolve_method(), self.scaling_)

    def with_model(self: Estimator, model: Model) -> Estimator:
        """Return a copy of this fitted estimator that has other layers and another head.

        Parameters
        ----------
        model : Model

        Returns
        -------
        The copy, which shares everything else with this estimator
        """
        check_is_fitted(self, "layers_")
        other = copy.copy(self)
        other._set_model(model)
        return other

    def input_blocks(self, X: Any) -> Iterator[tuple[slice, Tensor]]:
        """Check raw inputs, and yield them scaled for the first layer, block by block.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Yields
        ------
        rows : slice
        inputs : Tensor of shape (n_rows, n_scaled), float32
        """
        return scaled_blocks(self._validate_inputs(X), self.scaling_, self._torch_device())

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
        layers = self._model().layers
        result = np.empty((X.shape[0], layers[-1].width), dtype=np.float32)
        return self._fill(result, X, lambda inputs: compute_features(inputs, layers))

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
        return np.asarray(left @ right.T)

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

    def _validate_inputs(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_numbers(self, X, reset=False)

    def _model(self) -> Model:
        """Return the tensors of the fitted arrays; on the CPU they share memory."""
        device = self._torch_device()
        layers = tuple(
            Layer(as_tensor(frequencies, device), as_tensor(phases, device), self.activation_)
            for frequencies, phases in self.layers_
        )
        return Model(layers, as_tensor(self.weights_, device))

    def _set_model(self, model: Model) -> None:
        """Set the fitted arrays; on the CPU they share memory with the tensors."""
        self.layers_ = [
            (layer.frequencies.cpu().numpy(), layer.phases.cpu().numpy()) for layer in model.layers
        ]
        self.activation_ = model.layers[-1].activation
        self.weights_ = model.weights.cpu().numpy()
        self.head_strength_ = self._posterior = None  # of the head before

    def _set_scaled_model(self, initial: ScaledModel) -> None:
        self.scaling_, self.seed_ = initial.scaling, initial.seed
        self._set_model(initial.model)

    def _last_fit(self) -> ScaledModel:
        """Return a copy of what the last fit has learned, to continue training from it."""
        return ScaledModel(self._model().copy(), self.scaling_, self.seed_)

    def _warm_start(self, n_features: int, n_outputs: int) -> ScaledModel | None:
        """Return what a warm initial continues from; None without one, or if shapes differ."""
        if not (self.warm_start and hasattr(self, "layers_")):
            return None
        shapes = [frequencies.shape for frequencies, _ in self.layers_]
        fits = (
            self.weights_.shape[1] == n_outputs
            and shapes[0][1] == len(self.scaling_.sources(n_features))
            and [shape[2] for shape in shapes] == [*self.hidden_components, self.n_components]
        )
        return self._last_fit() if fits else None

    def _fill(self, result: Array, X: Any, compute: Callable[[Tensor], Tensor]) -> Array:
        """Compute something of all rows, block by block."""
        for rows, inputs in prediction_blocks(X, self.scaling_, self._torch_device()):
            result[rows] = compute(inputs).cpu().numpy()
        return result


@contextmanager
def restored_on_error(estimator: SpectralModel) -> Iterator[None]:
    """If the block raises an error, give the estimator back the attributes from before."""
    before = dict(estimator.__dict__)
    try:
        yield
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise
