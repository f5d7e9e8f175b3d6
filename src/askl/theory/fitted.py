"""A fitted estimator in float64, block by block, and as it was before learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from askl.estimators.base import SpectralModel
from askl.estimators.build import draw_model
from askl.learning import LOSSES, Model, compute_features
from askl.spectral.features import Layer, unit_variance

Estimator = TypeVar("Estimator", bound=SpectralModel)


def model_of(estimator: SpectralModel) -> Model:
    """Return the fitted tensors in float64 on the CPU: sums over many rows need the digits."""
    layers, weights = estimator.fitted_model.model
    exact = tuple(
        Layer(layer.frequencies.double().cpu(), layer.phases.double().cpu(), layer.activation)
        for layer in layers
    )
    return Model(exact, weights.double().cpu())


class Block(NamedTuple):
    """Some rows, with the inputs and the features of the last layer."""

    rows: slice
    last_inputs: Tensor
    features: Tensor


def feature_blocks(estimator: SpectralModel, X: Any) -> Iterator[Block]:
    """Yield all rows of X in blocks of bounded size, in float64."""
    layers = model_of(estimator).layers
    for rows, scaled in estimator.input_blocks(X):
        inputs = scaled.double().cpu()
        yield Block(rows, last_layer_inputs(inputs, layers), compute_features(inputs, layers))


def last_layer_inputs(inputs: Tensor, layers: tuple[Layer, ...]) -> Tensor:
    """Return the inputs of the last layer; of a single layer, those of the model."""
    if len(layers) == 1:
        return inputs
    below = layers[:-1]
    hidden = compute_features(inputs, below) * unit_variance(below[-1])
    return torch.cat([hidden, inputs], dim=1)


def summed_loss(estimator: SpectralModel, outputs: Tensor, targets: Tensor) -> float:
    """Sum the loss of the estimator over some rows."""
    return float(LOSSES[estimator.resolve_loss()].evaluate(outputs, targets)[0].sum())


def as_drawn(estimator: Estimator) -> Estimator:
    """Return the estimator as it was before learning: frequencies as drawn, a head of zeros.

    The frequencies are drawn again, with the seed that a fitted estimator keeps.

    Parameters
    ----------
    estimator : fitted classifier, regressor or transformer

    Returns
    -------
    A copy that shares everything but frequencies, phases and weights.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=20, random_state=0).fit(X, y)
    >>> before = as_drawn(model)
    >>> bool((before.frequencies_ == model.frequencies_).all())
    False
    """
    drawn = draw_model(
        estimator,
        estimator.resolve_method(),
        estimator.frequencies_.shape[1],
        estimator.weights_.shape[1],
        torch.Generator().manual_seed(estimator.seed_),
        torch.device("cpu"),
    )
    return estimator.with_model(drawn)
