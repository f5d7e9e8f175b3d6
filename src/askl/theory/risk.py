"""From complexity to risk: Lipschitz constants and ranges of losses, and two bounds."""

from __future__ import annotations

import math

from askl.learning import LOSSES, LossConstants


def loss_constants(
    loss: str, *, output_norm: float, n_outputs: int, target_range: float = math.nan
) -> LossConstants:
    """Return the Lipschitz constant and the largest value of a loss.

    Parameters
    ----------
    loss : str
        A key of :data:`askl.learning.LOSSES`.
    output_norm : float
        The largest ‖f(x)‖₂ in the ball, B · sup‖φ(x)‖.
    n_outputs : int
    target_range : float
        ‖max y - min y‖₂ over the outputs, for the squared loss: its constants are those of
        predictions clipped to that range.

    Returns
    -------
    LossConstants
        Both NaN if the row of the loss does not have them.

    Examples
    --------
    >>> loss_constants("squared", output_norm=9.0, n_outputs=1, target_range=3.0)
    LossConstants(lipschitz=6.0, largest=9.0)
    """
    if loss not in LOSSES:
        raise ValueError(
            f"The 'loss' parameter of loss_constants must be one of {sorted(LOSSES)}. "
            f"Got {loss!r} instead."
        )
    constants = LOSSES[loss].constants
    if constants is None:
        return LossConstants(math.nan, math.nan)
    return constants(output_norm, n_outputs, target_range)


def generalization_gap_bound(
    complexity: float, constants: LossConstants, *, n_samples: int, delta: float
) -> float:
    """Bound the expected minus the empirical loss, for all functions of the ball at once.

    With probability at least 1 - δ::

        sup_f E(f) - Ê(f)  ≤  2√2 L R̂ + 3 M sqrt(log(2/δ) / (2n))

    by symmetrisation, vector contraction (√2 L), and McDiarmid's inequality twice.

    Parameters
    ----------
    complexity : float
        R̂, or a bound of it.
    constants : LossConstants
        L and M.
    n_samples : int
        n.
    delta : float
        δ, between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> bound = generalization_gap_bound(
    ...     0.1, LossConstants(1.0, 1.0), n_samples=5000, delta=0.05)
    >>> round(bound, 3)
    0.34
    """
    deviation = math.sqrt(math.log(2.0 / delta) / (2.0 * n_samples))
    return 2.0 * math.sqrt(2.0) * constants.lipschitz * complexity + 3.0 * constants.largest * (
        deviation
    )


def excess_risk_bound(
    complexity: float, constants: LossConstants, *, n_samples: int, delta: float
) -> float:
    """Bound the expected loss of the empirical minimiser minus that of the best function.

    The paper's Theorem 3 with its constant written out. With probability at least 1 - δ::

        E(f̂) - E(f*)  ≤  4√2 L R̂ + 4 M sqrt(log(3/δ) / (2n))

    The constant counts three events of probability δ/3 each: the supremum about its mean (1),
    the empirical complexity about its mean (2), and the loss of f* about its mean (1).

    Parameters
    ----------
    complexity : float
        R̂, or a bound of it.
    constants : LossConstants
        L and M.
    n_samples : int
        n.
    delta : float
        δ, between 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> bound = excess_risk_bound(0.1, LossConstants(1.0, 1.0), n_samples=5000, delta=0.05)
    >>> round(bound, 3)
    0.647
    """
    # NOTE: 2√2 would do, since f* is one function and needs no supremum; the paper's 4√2 stays.
    deviation = math.sqrt(math.log(3.0 / delta) / (2.0 * n_samples))
    return 4.0 * math.sqrt(2.0) * constants.lipschitz * complexity + 4.0 * constants.largest * (
        deviation
    )
