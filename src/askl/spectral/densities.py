"""Initial spectral densities: where frequencies and phases start before anything is learned."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor

Phases: TypeAlias = Literal["shared", "independent"]


class Density(NamedTuple):
    """One row of :data:`DENSITIES`: how to draw frequencies, and at which scale by default.

    Attributes
    ----------
    draw : callable
        ``draw(n_features, n_draws, generator) -> Tensor`` of shape (n_features, n_draws), one
        frequency a column, at unit scale.
    natural_scale : callable
        ``natural_scale(n_features) -> float``, the scale that suits inputs of unit variance.

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
    Tensor of shape (n_features, n_draws), one frequency a column

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
    """Draw frequencies that act on one to ``max_active`` random inputs, each at its own scale.

    A mixture of product measures: low-order interactions at many scales, which a dense
    isotropic Gaussian almost never draws. Column j is ``exp(spread * N(0, 1)) * N(0, I)`` on its
    active inputs and zero elsewhere.

    Parameters
    ----------
    n_features, n_draws : int
        d, and how many frequencies to draw.
    generator : torch.Generator
        The only source of randomness.
    max_active : int, default=3
        Most inputs a frequency acts on.
    spread : float, default=0.7
        Standard deviation of the logarithm of the scales.

    Returns
    -------
    Tensor of shape (n_features, n_draws), one frequency a column

    Examples
    --------
    >>> import torch
    >>> drawn = sparse_multiscale(10, 1000, torch.Generator().manual_seed(0))
    >>> int((drawn != 0).sum(dim=0).max())
    3
    """
    n_active = torch.randint(1, min(max_active, n_features) + 1, (n_draws,), generator=generator)
    # The rank of uniform noise picks n_active distinct inputs for each column.
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
    """Return the scale a density is drawn at when the user names none.

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
    """Draw the initial frequencies Ω_j of every branch, independently and at one scale.

    Parameters
    ----------
    n_features, n_components, n_branches : int
        d, D, and the number of branches (1: stationary, 2: non-stationary).
    density : str
        A key of :data:`DENSITIES`.
    scale : float
        σ of the paper: the standard deviation of the gaussian density, the median scale of the
        sparse multi-scale one.
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

    ``shared`` is what makes ⟨φ(x), φ(z)⟩ the non-stationary kernel in expectation.
    ``independent`` is the paper as printed, whose cross terms vanish in expectation.

    Parameters
    ----------
    n_components, n_branches : int
        D, and the number of branches.
    phases : {"shared", "independent"}, default="shared"
        Whether branches share their phases.
    centred : bool, default=False
        Whether to draw from U[-π, π] instead: for maps that bend where the angle is zero, which
        would be beyond most inputs if no phase were negative. A cosine does not tell the two.
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
    # NOTE[DIFF]: the paper draws b and b' independently and claims the kernel of ψ; that claim
    # holds for shared phases only, so they are the default.
    n_drawn = n_branches if phases == "independent" else 1
    drawn = 2.0 * math.pi * torch.rand(n_drawn, n_components, generator=generator)
    if centred:
        drawn -= math.pi
    return drawn.expand(n_branches, n_components).contiguous()
