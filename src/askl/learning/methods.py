"""The methods: the five rows of the paper's Table 1. A new method is one more row."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """One row of :data:`METHODS`: the kind of kernel, whether it is learned, and its penalties.

    Attributes
    ----------
    n_branches : int
        1: stationary, 2: non-stationary.
    learn_frequencies : bool
        Whether frequencies are learned, or stay as drawn from the assigned density.
    head_norm : str
        A key of :data:`askl.learning.HEAD_NORMS`.
    head_penalty, feature_penalty : float
        The defaults of λ₁ and λ₂.

    Examples
    --------
    >>> METHODS["askl"].head_norm, METHODS["nskl"].head_norm
    ('trace', 'frobenius')
    """

    n_branches: int
    learn_frequencies: bool
    head_norm: str
    head_penalty: float
    feature_penalty: float


METHODS: dict[str, Method] = {
    "sk": Method(1, False, "frobenius", 1e-6, 0.0),
    "nsk": Method(2, False, "frobenius", 1e-6, 0.0),
    "skl": Method(1, True, "frobenius", 1e-6, 0.0),
    "nskl": Method(2, True, "frobenius", 1e-6, 0.0),
    "askl": Method(2, True, "trace", 1e-4, 1e-3),
}
