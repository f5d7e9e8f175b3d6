"""What a training is estimated to take, from its sizes alone."""

from __future__ import annotations

import math

from askl.estimators.build import choose_batch_size
from askl.estimators.fit import SpectralLearner
from askl.estimators.input_transform import SHORT_SHARE
from askl.estimators.symmetry_augmentation import ORDERS_OF_ALL
from askl.learning.heads.exact_head import STRENGTHS

# What one core of a server took, by least squares over the starts of the portfolio on eleven data
# sets: nine tenths of the trainings are within three tenths of what these estimate.
LAYER_SECONDS = 600e-6  # in every step
MULTIPLICATION_SECONDS = 35e-12
COSINE_SECONDS = 8.3e-9  # with its sine, and all else that is done to each feature
NUMBER_SECONDS = 130e-9  # to scale an input


def training_seconds(
    model: SpectralLearner, n_samples: int, n_inputs: int, n_outputs: int
) -> float:
    """Foretell how long a training takes: all its steps, and solving the head where that is done.

    A layer's angles and the gradient of its frequencies are a product each, and the gradient of
    the features below one more; the head has three. Inputs are counted as they are scaled. The same
    on every machine, so that what there is time for does not depend on one.

    Examples
    --------
    >>> from askl import SpectralKernelClassifier
    >>> model = SpectralKernelClassifier(n_components=500)
    >>> 1.0 < training_seconds(model, 4000, 16, 26) < 10.0
    True
    """
    n_branches = model.resolve_method().n_branches
    widths = (*model.hidden_components, model.n_components)
    cosines = n_branches * sum(widths)
    multiplications, below = 0, 0
    for width in widths:
        multiplications += n_branches * width * (2 * n_inputs + 3 * below)
        below = width
    multiplications += 3 * below * n_outputs
    n_epochs = model.max_epochs * (1.0 + SHORT_SHARE * model.weigh_inputs)
    n_steps = n_epochs * math.ceil(n_samples / choose_batch_size(model.batch_size, n_samples))
    n_rows = n_epochs * n_samples
    products = n_rows * multiplications
    if model.solves_head():
        n_orders = ORDERS_OF_ALL if model.symmetries else 1
        products += below**2 * n_orders * n_samples + len(STRENGTHS) * below**3
    return (
        LAYER_SECONDS * n_steps * len(widths)
        + MULTIPLICATION_SECONDS * products
        + COSINE_SECONDS * n_rows * cosines
        + NUMBER_SECONDS * n_samples * n_inputs
    )
