"""The seconds that a training is estimated to take, from its sizes alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from askl.auto.execution.trial import PlainModel, Problem, make_model
from askl.auto.settings import CostConstants
from askl.estimators.build import choose_batch_size
from askl.estimators.input_transform import SHORT_SHARE
from askl.estimators.symmetry_augmentation import ORDERS_IN_ONE_PASS
from askl.learning.heads.exact_head import STRENGTHS
from askl.learning.sources import count_batches
from askl.preprocessing.input_scaling import count_scaled

DEFAULT_CONSTANTS = CostConstants()


class Work(NamedTuple):
    """What a training does, counted: the fields are those of :class:`CostConstants`."""

    layers: float
    multiplications: float
    features: float
    inputs: float


def count_work(model: PlainModel, n_samples: int, n_inputs: int, n_outputs: int) -> Work:
    """Count what a training does: all its steps, and solving the head where that is done.

    A layer's angles and the gradient of its frequencies are a matrix product each, and the
    gradient of the features below one more; the head has three.

    Parameters
    ----------
    model : SpectralKernelClassifier or SpectralKernelRegressor
        Fitted or not.
    n_samples : int
    n_inputs : int
        Inputs as the first layer sees them, after scaling.
    n_outputs : int
    """
    n_branches = model.resolve_method().n_branches
    widths = (*model.hidden_components, model.n_components)
    multiplications, below = 0, 0
    for width in widths:
        multiplications += n_branches * width * (2 * n_inputs + 3 * below)
        below = width
    multiplications += 3 * below * n_outputs
    n_epochs = model.max_epochs * (1.0 + SHORT_SHARE * model.weigh_inputs)
    batch_size = choose_batch_size(model.batch_size, n_samples)
    n_steps = n_epochs * count_batches(n_samples, batch_size)
    n_rows = n_epochs * n_samples
    products = n_rows * multiplications
    if model.solves_head():
        n_orders = ORDERS_IN_ONE_PASS if model.symmetries else 1
        products += below**2 * n_orders * n_samples + len(STRENGTHS) * below**3
    features = n_rows * n_branches * sum(widths)
    return Work(n_steps * len(widths), products, features, n_samples * n_inputs)


def estimate_seconds(
    model: PlainModel,
    n_samples: int,
    n_inputs: int,
    n_outputs: int,
    constants: CostConstants = DEFAULT_CONSTANTS,
) -> float:
    """Estimate how long a training takes, on one core of the machine of the constants.

    The estimate is the same on every machine, so that what there is time for does not depend on
    the machine.

    Examples
    --------
    >>> from askl import SpectralKernelClassifier
    >>> model = SpectralKernelClassifier(n_components=500)
    >>> 1.0 < estimate_seconds(model, 4000, 16, 26) < 10.0
    True
    """
    work = count_work(model, n_samples, n_inputs, n_outputs)
    return sum(each * count for each, count in zip(constants, work, strict=True))


class CostModel:
    """Estimates the trainings of one problem.

    Parameters
    ----------
    problem : Problem
    constants : CostConstants
    """

    def __init__(self, problem: Problem, constants: CostConstants) -> None:
        self.problem, self.constants = problem, constants
        self._n_inputs: dict[str, int] = {}

    def estimate(self, parameters: Mapping[str, Any], n_samples: int) -> float:
        """Estimate the seconds of a training; one that cannot begin takes none."""
        try:
            model = make_model(self.problem, parameters)
            n_inputs = self._count_inputs(model.scale_inputs)
            return estimate_seconds(
                model, n_samples, n_inputs, self.problem.n_outputs, self.constants
            )
        except ValueError:
            return 0.0

    def _count_inputs(self, scaling: str) -> int:
        if scaling not in self._n_inputs:
            self._n_inputs[scaling] = count_scaled(self.problem.X, scaling)
        return self._n_inputs[scaling]
