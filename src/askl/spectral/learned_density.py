"""The learned spectral density s(ω, ω'), estimated from the frequencies and their weights.

Learning moves the frequencies away from the density that they were drawn from. Afterwards they
are a sample of the density of the learned kernel, in which each counts by its weights in the head.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def frequency_shares(weights: Tensor, n_components: int) -> Tensor:
    """Compute the share of each frequency in the head: the norm of its row of W over their sum.

    In the paired map a frequency has two rows, which count together. If all weights are zero, as
    before learning, all shares are equal.

    Parameters
    ----------
    weights : Tensor of shape (width, n_outputs)
    n_components : int

    Returns
    -------
    Tensor of shape (n_components,), of sum one

    Examples
    --------
    >>> import torch
    >>> frequency_shares(torch.tensor([[3.0, 4.0], [0.0, 15.0]]), 2)
    tensor([0.2500, 0.7500])
    """
    rows = weights.reshape(-1, n_components, weights.shape[1])
    norms = rows.square().sum(dim=(0, 2)).sqrt()
    total = norms.sum()
    return norms / total if total > 0.0 else torch.full_like(norms, 1.0 / n_components)


def effective_frequencies(shares: Tensor) -> float:
    """Compute the effective number of frequencies, the participation ratio 1 / Σ_j share_j².

    It is D if all shares are equal, and 1 if a single frequency has all the weight.

    Parameters
    ----------
    shares : Tensor of shape (n_components,)
        From :func:`frequency_shares`.

    Returns
    -------
    float, from 1 to D

    Examples
    --------
    >>> import torch
    >>> effective_frequencies(torch.tensor([0.5, 0.5, 0.0, 0.0]))
    2.0
    """
    return float(1.0 / shares.square().sum())


def distance_moved(before: Tensor, after: Tensor) -> Tensor:
    """Compute the distance between each frequency before and after learning.

    Parameters
    ----------
    before, after : Tensor of shape (n_branches, n_features, n_components)

    Returns
    -------
    Tensor of shape (n_branches, n_components)

    Examples
    --------
    >>> import torch
    >>> distance_moved(torch.zeros(1, 2, 1), torch.tensor([[[3.0], [4.0]]]))
    tensor([[5.]])
    """
    return (after - before).square().sum(dim=1).sqrt()


def principal_directions(frequencies: Tensor, shares: Tensor) -> Tensor:
    """Find the directions of input space along which the frequencies are largest.

    They are the eigenvectors of Σ_j share_j ω_j ω_jᵀ, summed over all branches. The model changes
    fastest in the first direction.

    Parameters
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    shares : Tensor of shape (n_components,)
        From :func:`frequency_shares`.

    Returns
    -------
    Tensor of shape (n_features, n_features), one direction in each column, the largest first

    Examples
    --------
    >>> import torch
    >>> frequencies = torch.tensor([[[0.0, 0.0], [1.0, 2.0]]])
    >>> principal_directions(frequencies, torch.tensor([0.5, 0.5]))[:, 0].abs()
    tensor([0., 1.])
    """
    moments = torch.einsum("bij,bkj,j->ik", frequencies, frequencies, shares)
    vectors: Tensor = torch.linalg.eigh(moments).eigenvectors
    return vectors.flip(1)


def along(frequencies: Tensor, direction: Tensor) -> Tensor:
    """Project frequencies onto a direction of input space.

    Parameters
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    direction : Tensor of shape (n_features,)
        For one input, the unit vector of that input.

    Returns
    -------
    Tensor of shape (n_branches, n_components)

    Examples
    --------
    >>> import torch
    >>> along(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), torch.tensor([0.0, 1.0]))
    tensor([[3., 4.]])
    """
    return direction @ frequencies


def _bandwidth(points: Tensor, shares: Tensor, n_dimensions: int) -> Tensor:
    """Return the bandwidth of Scott's rule for weighted points, the same in all dimensions."""
    mean = (shares * points).sum() / shares.sum()
    deviation = ((shares * (points - mean).square()).sum() / shares.sum()).sqrt()
    effective = shares.sum().square() / shares.square().sum()
    # If all frequencies are equal the density is a narrow peak, and not a division by zero.
    return (deviation * effective ** (-1.0 / (n_dimensions + 4))).clamp(min=1e-3)


def _bumps(grid: Tensor, points: Tensor, bandwidth: Tensor) -> Tensor:
    """Evaluate a normal density around each point, with shape (len(grid), len(points))."""
    scaled = (grid[:, None] - points[None, :]) / bandwidth
    return (-0.5 * scaled.square()).exp() / (bandwidth * math.sqrt(2.0 * math.pi))


def marginal_density(
    frequencies: Tensor, shares: Tensor, direction: Tensor, grid: Tensor
) -> Tensor:
    """Estimate the density of ωᵀdirection, for ω of all branches, on a grid.

    It is a kernel density estimate with Scott's bandwidth, weighted by the shares.

    Parameters
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    shares : Tensor of shape (n_components,)
    direction : Tensor of shape (n_features,)
        For the marginal density of one input, the unit vector of that input.
    grid : Tensor of shape (n_points,)

    Returns
    -------
    Tensor of shape (n_points,)

    Examples
    --------
    >>> import torch
    >>> frequencies = torch.randn(2, 3, 500, generator=torch.Generator().manual_seed(0))
    >>> grid = torch.linspace(-5, 5, 101)
    >>> density = marginal_density(
    ...     frequencies, torch.full((500,), 1 / 500), torch.tensor([1.0, 0.0, 0.0]), grid)
    >>> round(float(torch.trapezoid(density, grid)), 3)
    1.0
    """
    points = along(frequencies, direction)
    weights = shares.expand(points.shape).reshape(-1) / len(points)
    points = points.reshape(-1)
    return _bumps(grid, points, _bandwidth(points, weights, 1)) @ weights


def joint_density(frequencies: Tensor, shares: Tensor, direction: Tensor, grid: Tensor) -> Tensor:
    """Estimate the density surface s(ω, ω') along one direction, on a square grid.

    In the density of the paper's kernel each pair has four parts of equal mass: at (ω, ω') and
    (ω', ω), and on the diagonal at (ω, ω) and (ω', ω'). A stationary kernel has only the part on
    the diagonal.

    Parameters
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    shares : Tensor of shape (n_components,)
    direction : Tensor of shape (n_features,)
    grid : Tensor of shape (n_points,)

    Returns
    -------
    Tensor of shape (n_points, n_points), symmetric

    Examples
    --------
    >>> import torch
    >>> frequencies = torch.randn(2, 1, 50, generator=torch.Generator().manual_seed(0))
    >>> surface = joint_density(
    ...     frequencies, torch.full((50,), 0.02), torch.ones(1), torch.linspace(-4, 4, 21))
    >>> bool(torch.allclose(surface, surface.T))
    True
    """
    points = along(frequencies, direction)
    weights = shares.expand(points.shape).reshape(-1)
    bandwidth = _bandwidth(points.reshape(-1), weights, 2)
    # The sum over branches, times itself, contains all pairs of branches.
    bumps = torch.stack([_bumps(grid, branch, bandwidth) for branch in points]).sum(dim=0)
    return (bumps * shares) @ bumps.t() / len(points) ** 2


def off_diagonal_share(frequencies: Tensor, shares: Tensor) -> float:
    """Compute the share of the mass of s(ω, ω') that is not on its diagonal.

    A pair counts by 1 - exp(-½‖ω - ω'‖²), which is 1 - E cos((ω - ω')ᵀx) for standard normal
    inputs: a pair whose difference has no effect on such inputs counts as diagonal. The share is
    0 for a stationary kernel. Half of the paper's density is on the diagonal by construction, so
    with two branches the share is at most ½.

    Parameters
    ----------
    frequencies : Tensor of shape (n_branches, n_features, n_components)
    shares : Tensor of shape (n_components,)
        From :func:`frequency_shares`.

    Returns
    -------
    float, from 0 to 1

    Examples
    --------
    >>> import torch
    >>> off_diagonal_share(torch.tensor([[[0.0]], [[9.0]]]), torch.ones(1))
    0.5
    """
    total = shares.new_zeros(())
    for first in frequencies:
        for second in frequencies:
            distinct = 1.0 - (-0.5 * (first - second).square().sum(dim=0)).exp()
            total = total + (shares * distinct).sum()
    return float(total) / len(frequencies) ** 2
