"""The nonlinearities between angles and features.

A new activation is two functions, value and derivative, and one row of :data:`ACTIVATIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor


class Activation(NamedTuple):
    """One row of :data:`ACTIVATIONS`: a nonlinearity g, its derivative, and facts about it.

    Only the first two are needed. Without the facts at the end a model can be trained, saved and
    reported, but not exported.

    Attributes
    ----------
    value : callable
        ``value(angles, out)`` writes the sum over branches of g(angles) to ``out``, of shape
        (n_samples, width · n_components). It must not change ``angles``.
    pullback : callable
        ``pullback(angles, gradient)`` overwrites ``angles``, of shape (n_branches, n_samples,
        n_components), with sign · g'(angles) · gradient.
    width : int, default=1
        Features for each component.
    sign : float, default=1.0
        A sign that ``pullback`` leaves to the product after it, which saves a pass over the angles.
    overwrite : callable, optional
        ``overwrite(angles)`` overwrites angles with g(angles). It makes predictions faster.
    periodic : bool, default=False
        Whether g has the period 2π. If not, phases are drawn from [-π, π], around its centre.
    samples_kernel : bool, default=False
        Whether ⟨φ(x), φ(z)⟩ estimates the Monte-Carlo kernel of the frequencies.
    largest_squared_norm : float, default=inf
        The supremum of ‖φ(x)‖² over inputs and phases; infinite if there is none or it is not
        known.
    onnx_operators : tuple of str, default=()
        The ONNX operators that compute the ``width`` features of a component from its angle.

    Examples
    --------
    >>> import torch
    >>> angles = torch.zeros(2, 1, 3)  # two branches, one sample, three components
    >>> ACTIVATIONS["cosine"].value(angles, torch.empty(1, 3))
    tensor([[2., 2., 2.]])
    """

    value: Callable[[Tensor, Tensor], Tensor]
    pullback: Callable[[Tensor, Tensor], Tensor]
    width: int = 1
    sign: float = 1.0
    overwrite: Callable[[Tensor], Tensor] | None = None
    periodic: bool = False
    samples_kernel: bool = False
    largest_squared_norm: float = math.inf
    onnx_operators: tuple[str, ...] = ()


def _sum_over_branches(function: Callable[..., Tensor], angles: Tensor, out: Tensor) -> Tensor:
    function(angles[0], out=out)
    for branch in angles[1:]:
        out.add_(function(branch))
    return out


def _cosine_pullback(angles: Tensor, gradient: Tensor) -> Tensor:
    # NOTE[DIFF]: the paper prints 1 / sin(·) in the matrix D of its gradient. The derivative of the
    # cosine is -sin(·); the sign is in the row below.
    return angles.sin_().mul_(gradient)


def _paired_value(angles: Tensor, out: Tensor) -> Tensor:
    n_components = angles.shape[2]
    _sum_over_branches(torch.cos, angles, out[:, :n_components])
    _sum_over_branches(torch.sin, angles, out[:, n_components:])
    return out


def _paired_pullback(angles: Tensor, gradient: Tensor) -> Tensor:
    to_cosine, to_sine = gradient.chunk(2, dim=1)
    along_sine = to_sine * angles.cos()
    return angles.sin_().mul_(to_cosine).neg_().add_(along_sine)


def _relu(angles: Tensor, out: Tensor | None = None) -> Tensor:
    return torch.clamp(angles, min=0.0, out=out)


def _sigmoid_pullback(angles: Tensor, gradient: Tensor) -> Tensor:
    angles.sigmoid_()
    return angles.sub_(angles.square()).mul_(gradient)


ACTIVATIONS: dict[str, Activation] = {
    # In expectation over phases ‖φ(x)‖² is at most 1; a single draw of phases may reach 2.
    "cosine": Activation(
        lambda angles, out: _sum_over_branches(torch.cos, angles, out),
        _cosine_pullback,
        sign=-1.0,
        overwrite=Tensor.cos_,
        periodic=True,
        samples_kernel=True,
        largest_squared_norm=2.0,
        onnx_operators=("Cos",),
    ),
    "paired": Activation(
        _paired_value,
        _paired_pullback,
        width=2,
        periodic=True,
        samples_kernel=True,
        largest_squared_norm=1.0,
        onnx_operators=("Cos", "Sin"),
    ),
    "relu": Activation(
        lambda angles, out: _sum_over_branches(_relu, angles, out),
        lambda angles, gradient: angles.gt_(0.0).mul_(gradient),
        onnx_operators=("Relu",),
    ),
    "sigmoid": Activation(
        lambda angles, out: _sum_over_branches(torch.sigmoid, angles, out),
        _sigmoid_pullback,
        largest_squared_norm=2.0,
        onnx_operators=("Sigmoid",),
    ),
}
