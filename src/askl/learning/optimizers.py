"""The rules that turn gradients into steps, on plain tensors.

They are those of :mod:`torch.optim`, to the bit where both are fused. A loop with a closed-form
gradient needs none of the machinery around them there, which costs more than the whole step of a
small model, and two seconds of imports when the first optimiser is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

Moments: TypeAlias = dict[str, Tensor]


class Rule(NamedTuple):
    """How one tensor moves.

    Attributes
    ----------
    update : callable
        ``update(parameter, gradient, moments, rate)`` overwrites the parameter and its moments.
    moments : tuple of str
        Names of what is remembered between steps, each of the parameter's shape, zero at first.
    counts_steps : bool
        Whether the number of steps is remembered too, as ``"step"``.

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

    def start(self, parameter: Tensor) -> Moments:
        """Return the moments before the first step.

        Parameters
        ----------
        parameter : Tensor
            What they are the moments of.

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
    # Fused: one pass over parameters and moments instead of a dozen.
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
    """A rule, the tensors it moves, and what it remembers of each.

    Parameters
    ----------
    rule : Rule
    parameters : list of Tensor
        Are changed in place.
    """

    def __init__(self, rule: Rule, parameters: list[Tensor]) -> None:
        self._rule, self._parameters = rule, parameters
        self._moments = [rule.start(parameter) for parameter in parameters]

    def step(self, gradients: list[Tensor], rates: list[float]) -> None:
        """Move every parameter along its gradient at its rate."""
        for parameter, gradient, moments, rate in zip(
            self._parameters, gradients, self._moments, rates, strict=True
        ):
            self._rule.update(parameter, gradient, moments, rate)

    def tensors(self) -> Moments:
        """Return all moments by name, such as ``0.exp_avg``; they are not copied."""
        return {
            f"{number}.{name}": value
            for number, moments in enumerate(self._moments)
            for name, value in moments.items()
        }

    def restore(self, tensors: Moments) -> None:
        """Go on from what :meth:`tensors` returned."""
        for name, value in self.tensors().items():
            value.copy_(tensors[name])
