"""Optimisers on plain tensors.

They compute what :mod:`torch.optim` computes; fused Adam to the bit. With a closed-form gradient
nothing else of that module is needed, and its overhead is larger than the whole step of a small
model. Its first optimiser also takes two seconds of imports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

Moments: TypeAlias = dict[str, Tensor]


class Rule(NamedTuple):
    """One row of :data:`OPTIMIZERS`: how a tensor is updated.

    Attributes
    ----------
    update : callable
        ``update(parameter, gradient, moments, rate)`` overwrites the parameter and its moments.
    moments : tuple of str
        Names of the tensors that it keeps between steps. They have the shape of the parameter,
        and begin at zero.
    counts_steps : bool
        Whether it also keeps the number of steps, as ``"step"``.

    Examples
    --------
    >>> import torch
    >>> from askl.learning import OPTIMIZERS
    >>> parameter = torch.ones(2)
    >>> OPTIMIZERS["sgd"].update(parameter, torch.ones(2), {}, 0.5)
    >>> parameter
    tensor([0.5000, 0.5000])
    """

    update: Callable[[Tensor, Tensor, Moments, float], None]
    moments: tuple[str, ...] = ()
    counts_steps: bool = False

    def initial_moments(self, parameter: Tensor) -> Moments:
        """Return the moments before the first step.

        Parameters
        ----------
        parameter : Tensor
            The tensor that they belong to.

        Returns
        -------
        dict of str to Tensor
        """
        moments = {name: torch.zeros_like(parameter) for name in self.moments}
        if self.counts_steps:
            moments["step"] = parameter.new_zeros((), dtype=torch.float32)
        return moments


def _adam(parameter: Tensor, gradient: Tensor, moments: Moments, rate: float) -> None:
    moments["step"].add_(1.0)
    # Fused: one pass over parameters and moments instead of twelve.
    torch._fused_adam_(
        [parameter],
        [gradient],
        [moments["exp_avg"]],
        [moments["exp_avg_sq"]],
        [],
        [moments["step"]],
        lr=rate,
        beta1=0.9,
        beta2=0.999,
        weight_decay=0.0,
        eps=1e-8,
        amsgrad=False,
        maximize=False,
    )


def _sgd(parameter: Tensor, gradient: Tensor, moments: Moments, rate: float) -> None:
    parameter.add_(gradient, alpha=-rate)


def _adadelta(parameter: Tensor, gradient: Tensor, moments: Moments, rate: float) -> None:
    decay, epsilon = 0.9, 1e-6
    squares, steps = moments["square_avg"], moments["acc_delta"]
    squares.mul_(decay).addcmul_(gradient, gradient, value=1.0 - decay)
    step = (steps + epsilon).sqrt_().div_((squares + epsilon).sqrt_()).mul_(gradient)
    steps.mul_(decay).addcmul_(step, step, value=1.0 - decay)
    parameter.add_(step, alpha=-rate)


OPTIMIZERS: dict[str, Rule] = {
    "adam": Rule(_adam, ("exp_avg", "exp_avg_sq"), counts_steps=True),
    "sgd": Rule(_sgd),
    "adadelta": Rule(_adadelta, ("square_avg", "acc_delta")),
}


class Optimizer:
    """Updates some tensors by a rule, and keeps their moments.

    Parameters
    ----------
    rule : Rule
    parameters : list of Tensor
        They are updated in place.
    """

    def __init__(self, rule: Rule, parameters: list[Tensor]) -> None:
        self._rule, self._parameters = rule, parameters
        self._moments = [rule.initial_moments(parameter) for parameter in parameters]

    def step(self, gradients: list[Tensor], rates: list[float]) -> None:
        """Update each parameter, given its gradient and its learning rate."""
        for parameter, gradient, moments, rate in zip(
            self._parameters, gradients, self._moments, rates, strict=True
        ):
            self._rule.update(parameter, gradient, moments, rate)

    def tensors(self) -> Moments:
        """Return all moments by name, such as ``0.exp_avg``, without copying them."""
        return {
            f"{number}.{name}": value
            for number, moments in enumerate(self._moments)
            for name, value in moments.items()
        }

    def restore(self, tensors: Moments) -> None:
        """Continue from what :meth:`tensors` returned."""
        for name, value in self.tensors().items():
            value.copy_(tensors[name])
