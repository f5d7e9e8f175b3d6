"""The five methods of the paper's Table 1, as rows."""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """One row: which kernel, whether its density is learned, and how it is regularised.

    Attributes
    ----------
    n_branches : int
        1: stationary, 2: non-stationary.
    learn_frequencies : bool
        Whether the spectral density is learned or stays as assigned.
    head_norm : str
        A key of :data:`askl.learning.HEAD_NORMS`.
    head_penalty, feature_penalty : float
        λ₁ and λ₂ when the user names none.

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
