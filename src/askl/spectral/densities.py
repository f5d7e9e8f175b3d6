"""Initial spectral densities, from which frequencies and phases are drawn before learning.

A new density is one function and one row of :data:`DENSITIES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

Phases: TypeAlias = Literal["shared", "independent"]


class Density(NamedTuple):
    """One row of :data:`DENSITIES`: how to draw frequencies, and their default scale.

    Attributes
    ----------
    draw : callable
        ``draw(n_features, n_draws, generator) -> Tensor`` of shape (n_features, n_draws). Each
        column is one frequency, at unit scale.
    natural_scale : callable
        ``natural_scale(n_features) -> float``, the default scale, for inputs of unit variance.

    Examples
    --------
    >>> import torch
    >>> pairs = DENSITIES["pairs"]
    >>> pairs.draw(5, 3, torch.Generator().manual_seed(0)).shape, pairs.natural_scale(5)
    (torch.Size([5, 3]), 0.7)
    """

    draw: Callable[[int, int, torch.Generator], Tensor]
    natural_scale: Callable[[int], float]


def gaussian(n_features: int, n_draws: int, generator: torch.Generator) -> Tensor:
    """Draw dense frequencies from N(0, I), the spectral density of a Gaussian kernel.

    Parameters
    ----------
    n_features, n_draws : int
        d, and how many frequencies to draw.
    generator : torch.Generator
        The only source of randomness.

    Returns
    -------
    Tensor of shape (n_features, n_draws), one frequency in each column

    Examples
    --------
    >>> import torch
    >>> gaussian(3, 5, torch.Generator().manual_seed(0)).shape
    torch.Size([3, 5])
    """
    return torch.randn(n_features, n_draws, generator=generator)


def sparse_multiscale(
    n_features: int,
    n_draws: int,
    generator: torch.Generator,
    *,
    max_active: int = 3,
    spread: float = 0.7,
) -> Tensor:
    """Draw frequencies that use one to ``max_active`` random inputs, each at its own scale.

    They represent interactions of few inputs at many scales, which a dense isotropic Gaussian
    almost never draws. Column j is ``exp(spread * N(0, 1)) * N(0, I)`` on its active inputs and
    zero on the others.

    Parameters
    ----------
    n_features, n_draws : int
        d, and how many frequencies to draw.
    generator : torch.Generator
        The only source of randomness.
    max_active : int, default=3
        The largest number of inputs that a frequency uses.
    spread : float, default=0.7
        Standard deviation of the logarithm of the scales.

    Returns
    -------
    Tensor of shape (n_features, n_draws), one frequency in each column

    Examples
    --------
    >>> import torch
    >>> drawn = sparse_multiscale(10, 1000, torch.Generator().manual_seed(0))
    >>> int((drawn != 0).sum(dim=0).max())
    3
    """
    n_active = torch.randint(1, min(max_active, n_features) + 1, (n_draws,), generator=generator)
    # Ranks of uniform noise below n_active: as many distinct inputs in each column.
    noise = torch.rand(n_features, n_draws, generator=generator)
    active = noise.argsort(dim=0).argsort(dim=0) < n_active
    scales = torch.exp(spread * torch.randn(n_draws, generator=generator))
    values = torch.randn(n_features, n_draws, generator=generator)
    return values * scales * active


DENSITIES: dict[str, Density] = {
    # NOTE: sqrt(2 / d) is RBFSampler's gamma="scale" on inputs of unit variance.
    "gaussian": Density(gaussian, lambda n_features: math.sqrt(2.0 / n_features)),
    "sparse": Density(sparse_multiscale, lambda n_features: 0.7),
    "pairs": Density(partial(sparse_multiscale, max_active=2), lambda n_features: 0.7),
}


def natural_scale(density: str, n_features: int) -> float:
    """Return the default scale of a density.

    Parameters
    ----------
    density : str
        A key of :data:`DENSITIES`.
    n_features : int
        d, the number of inputs.

    Returns
    -------
    float

    Examples
    --------
    >>> natural_scale("gaussian", 8)
    0.5
    """
    return DENSITIES[density].natural_scale(n_features)


def draw_frequencies(
    n_features: int,
    n_components: int,
    *,
    n_branches: int = 2,
    density: str = "gaussian",
    scale: float = 1.0,
    generator: torch.Generator,
) -> Tensor:
    """Draw the initial frequencies Ω_j of each branch, independently and at the same scale.

    Parameters
    ----------
    n_features, n_components, n_branches : int
        d, D, and the number of branches (1: stationary, 2: non-stationary).
    density : str
        A key of :data:`DENSITIES`.
    scale : float
        σ of the paper: the standard deviation of the gaussian density, and the median scale of
        the sparse ones.
    generator : torch.Generator
        The only source of randomness.

    Returns
    -------
    Tensor of shape (n_branches, n_features, n_components)

    Examples
    --------
    >>> import torch
    >>> draw_frequencies(4, 6, generator=torch.Generator().manual_seed(0)).shape
    torch.Size([2, 4, 6])
    """
    draw = DENSITIES[density].draw
    drawn = draw(n_features, n_branches * n_components, generator)
    branches = drawn.reshape(n_features, n_branches, n_components).permute(1, 0, 2)
    return (scale * branches).contiguous()


def draw_phases(
    n_components: int,
    *,
    n_branches: int = 2,
    phases: Phases = "shared",
    centred: bool = False,
    generator: torch.Generator,
) -> Tensor:
    """Draw phases from U[0, 2π], one vector for all branches or one for each.

    With ``"shared"`` phases ⟨φ(x), φ(z)⟩ is the non-stationary kernel in expectation. With
    ``"independent"`` phases, as the paper prints it, the cross terms vanish in expectation.

    Parameters
    ----------
    n_components, n_branches : int
        D, and the number of branches.
    phases : {"shared", "independent"}, default="shared"
        Whether branches share their phases.
    centred : bool, default=False
        Whether to draw from U[-π, π] instead. It makes no difference to a cosine. A ReLU bends
        where the angle is zero, and few inputs would be there if no phase were negative.
    generator : torch.Generator
        The only source of randomness.

    Returns
    -------
    Tensor of shape (n_branches, n_components)

    Examples
    --------
    >>> import torch
    >>> b = draw_phases(5, generator=torch.Generator().manual_seed(0))
    >>> bool((b[0] == b[1]).all())
    True
    """
    # NOTE[DIFF]: the paper draws b and b' independently, and claims the kernel of ψ. The claim
    # holds only for shared phases, so they are the default.
    n_drawn = n_branches if phases == "independent" else 1
    drawn = 2.0 * math.pi * torch.rand(n_drawn, n_components, generator=generator)
    if centred:
        drawn -= math.pi
    return drawn.expand(n_branches, n_components).contiguous()
