"""Empirical Rademacher complexity of the trace-norm ball: three bounds and an estimate.

The class is {x → Wᵀφ(x) : ‖W‖_* ≤ B} for fixed features φ. With ε of random signs,
Φ_ε = Σ_i φ(x_i) ε_iᵀ and the trace norm's dual, the spectral norm, its complexity is exactly::

    R̂ = (B / n) E‖Φ_ε‖_2  ≤  (B / n) E‖Φ_ε‖_F  ≤  (B / n) sqrt(K Σ_i ‖φ(x_i)‖²)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from askl.learning import singular_values
from askl.spectral import ACTIVATIONS, monte_carlo_kernel_diagonal
from askl.spectral.features import Layer


def rademacher_bound(head_norm: float, trace: float, *, n_samples: int, n_outputs: int) -> float:
    """Compute (B / n) sqrt(K · trace), the bound of the paper's Theorem 3.

    Parameters
    ----------
    head_norm : float
        B, the trace norm of the head.
    trace : float
        Σ_i ‖φ(x_i)‖² from features, its closed form, or its largest possible value. Each gives
        one form of the bound.
    n_samples, n_outputs : int
        n and K.

    Returns
    -------
    float

    Examples
    --------
    >>> rademacher_bound(2.0, 100.0, n_samples=100, n_outputs=4)
    0.4
    """
    return head_norm / n_samples * math.sqrt(n_outputs * trace)


def closed_form_diagonal(inputs: Tensor, layer: Layer) -> Tensor:
    """Compute 1/D Σ_j ½[cos((ω_j - ω'_j)ᵀx) + 1], the paper's closed form of ‖φ(x)‖².

    It *is* ‖ψ(x)‖² for the paired map. For the cosine map it is the expectation of ‖φ(x)‖²
    over phases. Phases that differ between branches are part of the angle; phases that branches
    share cancel.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    layer : Layer

    Returns
    -------
    Tensor of shape (n_samples,)
        All NaN for maps without a closed form.

    Examples
    --------
    >>> import torch
    >>> closed_form_diagonal(torch.ones(1, 2), Layer(torch.zeros(2, 2, 3), torch.zeros(2, 3)))
    tensor([1.])
    """
    if not ACTIVATIONS[layer.activation].samples_kernel:
        return inputs.new_full((len(inputs),), math.nan)
    # A phase is the frequency of an input that is constant one.
    with_one = torch.cat([inputs, inputs.new_ones(len(inputs), 1)], dim=1)
    with_phases = torch.cat([layer.frequencies, layer.phases[:, None, :]], dim=1)
    return monte_carlo_kernel_diagonal(with_one, with_phases)


def signed_sums(
    features: Tensor, *, n_outputs: int, n_draws: int, generator: torch.Generator
) -> Tensor:
    """Draw Φ_ε = Σ_i φ(x_i) ε_iᵀ several times. Those of blocks of rows are added to each other.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width)
    n_outputs, n_draws : int
        K, and the number of draws.
    generator : torch.Generator
        Draws the signs.

    Returns
    -------
    Tensor of shape (n_draws, width, n_outputs)

    Examples
    --------
    >>> import torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> signed_sums(torch.ones(4, 3), n_outputs=2, n_draws=5, generator=generator).shape
    torch.Size([5, 3, 2])
    """
    signs = torch.randint(0, 2, (len(features), n_draws * n_outputs), generator=generator)
    sums = features.t() @ (2 * signs - 1).to(features.dtype)
    return sums.view(-1, n_draws, n_outputs).transpose(0, 1)


class Estimate(NamedTuple):
    """A Monte-Carlo estimate and its standard error.

    Attributes
    ----------
    value : float
    error : float
        The standard error of the value.

    Examples
    --------
    >>> import torch
    >>> share = spectral_share(torch.tensor([[[3.0], [4.0]]]))
    >>> share.value, share.error
    (1.0, 0.0)
    """

    value: float
    error: float


def spectral_share(sums: Tensor) -> Estimate:
    """Estimate E‖Φ_ε‖_2 / sqrt(E‖Φ_ε‖_F²), the complexity as a share of the feature bound.

    The denominator is known, K Σ_i ‖φ(x_i)‖². Yet it is estimated from the same draws: their ratio
    has far less variance than the numerator alone. It is at most one, since ‖·‖_2 ≤ ‖·‖_F and
    Jensen's inequality hold for samples as well.

    Parameters
    ----------
    sums : Tensor of shape (n_draws, width, n_outputs)
        From :func:`signed_sums`.

    Returns
    -------
    Estimate
        Its value is between 0 and 1.

    Examples
    --------
    >>> import torch
    >>> spectral_share(torch.tensor([[[3.0], [4.0]]]))
    Estimate(value=1.0, error=0.0)
    """
    largest = torch.stack([singular_values(draw)[0] for draw in sums])
    squares = sums.double().square().sum(dim=(1, 2))
    scale = squares.mean().sqrt()
    if scale == 0.0:
        return Estimate(0.0, 0.0)
    ratio = largest.mean() / scale
    # First-order influence of one draw on the ratio.
    influence = largest / scale - 0.5 * ratio * squares / squares.mean()
    error = influence.std(correction=0) / math.sqrt(len(sums))
    return Estimate(min(1.0, float(ratio)), float(error))
