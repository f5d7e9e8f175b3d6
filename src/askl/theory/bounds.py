"""All bounds of a fitted model on given rows, as one named tuple."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from askl._typing import Array
from askl.estimators import SpectralKernelClassifier, SpectralKernelRegressor
from askl.estimators.base import SpectralModel
from askl.learning import LossConstants, singular_values
from askl.spectral import ACTIVATIONS
from askl.theory.complexity import (
    Estimate,
    closed_form_diagonal,
    rademacher_bound,
    signed_sums,
    spectral_share,
)
from askl.theory.fitted import feature_blocks, model_of
from askl.theory.risk import (
    excess_risk_bound,
    generalization_gap_bound,
    loss_constants,
)


class Bounds(NamedTuple):
    """Complexity and risk bounds of a fitted model on n rows with K outputs, φ held fixed.

    ``monte_carlo.value <= feature_form <= trivial_form`` always holds. ``closed_form`` equals
    ``feature_form`` for the paired map ψ. For the cosine map φ their squares are equal in
    expectation over phases.

    The risk bounds hold for rows on which neither the features nor B were chosen. On training rows
    they describe the model, but guarantee nothing.

    Attributes
    ----------
    n_samples, n_outputs : int
    singular_values : ndarray of shape (min(width, n_outputs),)
        Of the head W, largest first.
    trace : float
        Σ_i ‖φ(x_i)‖²; n for a stationary ψ, less for a non-stationary one.
    closed_form_trace : float
        Σ_i 1/D Σ_j ½[cos((ω_j - ω'_j)ᵀx_i) + 1]; NaN for features that are no cosines.
    largest_norm : float
        sup ‖φ(x)‖ over all inputs and phases: 1 for ψ and √2 for φ. For features without a known
        supremum, the largest seen.
    spectral_share : Estimate
        Complexity as a share of ``feature_form``, by Monte Carlo, and its standard error.
    loss : str
    constants : LossConstants
        L and M of the loss on the ball; those of the squared loss are for predictions clipped to
        the range of the targets, in units of their standard deviation. NaN for a loss whose row
        does not have them; then the risk bounds are NaN too.
    delta : float
        The risk bounds hold with probability at least 1 - delta.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(n_components=20, random_state=0).fit(X, y)
    >>> result = bounds(model, X)
    >>> result.n_samples, result.n_outputs, result.generalization_gap < result.excess_risk
    (150, 3, True)
    """

    n_samples: int
    n_outputs: int
    singular_values: Array
    trace: float
    closed_form_trace: float
    largest_norm: float
    spectral_share: Estimate
    loss: str
    constants: LossConstants
    delta: float

    @property
    def trace_norm(self) -> float:
        """B = ‖W‖_*, the sum of singular values."""
        return float(self.singular_values.sum())

    @property
    def monte_carlo(self) -> Estimate:
        """The complexity (B/n) E‖Σ_i φ(x_i) ε_iᵀ‖_2 itself, estimated, with its standard error."""
        value, error = self.spectral_share
        return Estimate(value * self.feature_form, error * self.feature_form)

    @property
    def feature_form(self) -> float:
        """(B/n) sqrt(K · trace)."""
        return self._bound(self.trace)

    @property
    def closed_form(self) -> float:
        """(B/n) sqrt(K · closed_form_trace)."""
        return self._bound(self.closed_form_trace)

    @property
    def trivial_form(self) -> float:
        """B sqrt(K/n) · largest_norm. Without the last factor it holds for φ on average only."""
        return self._bound(self.n_samples * self.largest_norm**2)

    @property
    def generalization_gap(self) -> float:
        """2√2 · L · feature_form + 3 · M · sqrt(log(2/δ) / (2n))."""
        return generalization_gap_bound(
            self.feature_form, self.constants, n_samples=self.n_samples, delta=self.delta
        )

    @property
    def excess_risk(self) -> float:
        """4√2 · L · feature_form + 4 · M · sqrt(log(3/δ) / (2n))."""
        return excess_risk_bound(
            self.feature_form, self.constants, n_samples=self.n_samples, delta=self.delta
        )

    def _bound(self, trace: float) -> float:
        return rademacher_bound(
            self.trace_norm, trace, n_samples=self.n_samples, n_outputs=self.n_outputs
        )

    def __repr__(self) -> str:
        """Show the numbers, each after those that it follows from."""
        complexity, error = self.monte_carlo
        loss = self.loss.replace("_", " ")
        return (
            f"Bounds for n = {self.n_samples}, K = {self.n_outputs}, {loss} loss\n"
            f"  head         ‖W‖_* = {self.trace_norm:.4g}, "
            f"largest singular value {self.singular_values[0]:.4g}\n"
            f"  features     mean ‖φ‖² = {self.trace / self.n_samples:.4g}, "
            f"closed form {self.closed_form_trace / self.n_samples:.4g}, "
            f"at most {self.largest_norm**2:.4g}\n"
            f"  complexity   {complexity:.4g} ± {error:.1g} (Monte Carlo) "
            f"≤ {self.feature_form:.4g} (features) ≤ {self.trivial_form:.4g} (trivial); "
            f"closed form {self.closed_form:.4g}\n"
            f"{self._describe_risk()}"
        )

    def _describe_risk(self) -> str:
        if math.isnan(self.constants.lipschitz):
            return "  risk         no bounds: L and the largest value of this loss are not known"
        return (
            f"  loss         L = {self.constants.lipschitz:.4g}, "
            f"at most {self.constants.largest:.4g}\n"
            f"  risk         with probability {1.0 - self.delta:.4g}: "
            f"generalisation gap ≤ {self.generalization_gap:.4g}, "
            f"excess risk ≤ {self.excess_risk:.4g}"
        )


def bounds(
    estimator: SpectralModel,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    n_draws: int = 20,
    random_state: int = 0,
) -> Bounds:
    """Compute the Rademacher complexity and risk bounds of a fitted model on given rows.

    Parameters
    ----------
    estimator : fitted SpectralKernelClassifier or SpectralKernelRegressor
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        Targets of a regression: the squared loss is bounded and Lipschitz on their range only. By
        default it is the range of the model's outputs. Not used for classes.
    delta : float, default=0.05
        The risk bounds hold with probability at least 1 - delta.
    n_draws : int, default=20
        Draws of random signs for the Monte-Carlo estimate.
    random_state : int, default=0
        Seed of the signs.

    Returns
    -------
    Bounds

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> from askl.theory import bounds
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SpectralKernelClassifier(
    ...     n_components=100, activation="paired", random_state=0).fit(X, y)
    >>> result = bounds(model, X)
    >>> result.monte_carlo.value <= result.feature_form <= result.trivial_form
    True
    >>> abs(result.closed_form - result.feature_form) < 1e-6
    True
    """
    _check(estimator, delta, n_draws)
    generator = torch.Generator().manual_seed(random_state)
    (*_, last), weights = model_of(estimator)
    n_outputs = weights.shape[1]
    norms, closed, outputs, sums = [], [], [], weights.new_zeros(n_draws, *weights.shape)
    for block in feature_blocks(estimator, X):
        norms.append(block.features.square().sum(dim=1))
        closed.append(closed_form_diagonal(block.last_inputs, last))
        outputs.append(block.features @ weights)
        sums += signed_sums(
            block.features, n_outputs=n_outputs, n_draws=n_draws, generator=generator
        )
    squares = torch.cat(norms)
    limit = ACTIVATIONS[last.activation].largest_squared_norm
    largest_norm = math.sqrt(limit if math.isfinite(limit) else squares.max())
    values = singular_values(weights)
    loss = estimator.resolve_loss()
    return Bounds(
        n_samples=len(squares),
        n_outputs=n_outputs,
        singular_values=values.numpy(),
        # A sum of cos² + sin² may be rounded to slightly more than its limit.
        trace=min(float(squares.sum()), len(squares) * largest_norm**2),
        closed_form_trace=float(torch.cat(closed).sum()),
        largest_norm=largest_norm,
        spectral_share=spectral_share(sums),
        loss=loss,
        constants=loss_constants(
            loss,
            output_norm=float(values.sum()) * largest_norm,
            n_outputs=n_outputs,
            target_range=_range(torch.cat(outputs) if y is None else estimator.encode_targets(y)),
        ),
        delta=delta,
    )


def _check(estimator: object, delta: float, n_draws: int) -> None:
    if not isinstance(estimator, (SpectralKernelClassifier, SpectralKernelRegressor)):
        raise TypeError(
            "The 'estimator' parameter of bounds must be a fitted SpectralKernelClassifier or "
            f"SpectralKernelRegressor. Got {type(estimator).__name__} instead. For a pipeline, "
            "give the last step and the rows as it takes them; for an automatic model, give one of "
            "members_ and encode_inputs(X)."
        )
    if not 0.0 < delta < 1.0:
        raise ValueError(
            f"The 'delta' parameter of bounds must be between 0 and 1. Got {delta!r} instead."
        )
    if n_draws < 1:
        raise ValueError(
            f"The 'n_draws' parameter of bounds must be at least 1. Got {n_draws!r} instead."
        )


def _range(values: Tensor) -> float:
    """Return the length of the diagonal of the smallest box that holds all values."""
    lowest, highest = values.double().aminmax(dim=0)
    return float((highest - lowest).norm())
