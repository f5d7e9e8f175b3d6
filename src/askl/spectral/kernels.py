"""The kernel of a spectral map: its matrix, its diagonal, and the paper's closed form."""

from __future__ import annotations

from torch import Tensor


def kernel_matrix(features: Tensor, other: Tensor | None = None) -> Tensor:
    """Compute k(x, z) = ⟨φ(x), φ(z)⟩ from features.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width)
    other : Tensor of shape (n_others, width), optional
        The same features by default.

    Returns
    -------
    Tensor of shape (n_samples, n_others)

    Examples
    --------
    >>> import torch
    >>> kernel_matrix(torch.eye(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return features @ (features if other is None else other).t()


def kernel_diagonal(features: Tensor) -> Tensor:
    """Compute k(x, x) = ‖φ(x)‖² without the matrix.

    Parameters
    ----------
    features : Tensor of shape (n_samples, width)

    Returns
    -------
    Tensor of shape (n_samples,)

    Examples
    --------
    >>> import torch
    >>> kernel_diagonal(torch.tensor([[3.0, 4.0]]))
    tensor([25.])
    """
    return features.square().sum(dim=1)


def monte_carlo_kernel(inputs: Tensor, others: Tensor, frequencies: Tensor) -> Tensor:
    """Compute the paper's closed-form Monte-Carlo kernel, phases integrated out.

    With two branches ω, ω'::

        k(x, z) = 1 / (4D) Σ_i [cos(ω_iᵀx - ω'_iᵀz) + cos(ω'_iᵀx - ω_iᵀz)
                               + cos(ω_iᵀx - ω_iᵀz) + cos(ω'_iᵀx - ω'_iᵀz)]

    and with one branch the stationary 1/D Σ_i cos(ω_iᵀ(x - z)). It equals the Gram matrix of ψ,
    and is computed here from its definition.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    others : Tensor of shape (n_others, n_features)
    frequencies : Tensor of shape (n_branches, n_features, n_components)

    Returns
    -------
    Tensor of shape (n_samples, n_others)

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[1.0, 2.0]])
    >>> monte_carlo_kernel(x, x, torch.ones(1, 2, 3))
    tensor([[1.]])
    """
    n_branches, _, n_components = frequencies.shape
    left, right = inputs @ frequencies, others @ frequencies
    total = inputs.new_zeros(len(inputs), len(others))
    for from_left in left:
        for from_right in right:
            # cos(a - b) = cos a cos b + sin a sin b needs memory for n × D numbers, not n × n × D.
            total.addmm_(from_left.cos(), from_right.cos().t())
            total.addmm_(from_left.sin(), from_right.sin().t())
    return total / (n_branches**2 * n_components)


def monte_carlo_kernel_diagonal(inputs: Tensor, frequencies: Tensor) -> Tensor:
    """Compute k(x, x) of the closed form: 1/D Σ_i ½[1 + cos((ω_i - ω'_i)ᵀx)] for two branches.

    Parameters
    ----------
    inputs : Tensor of shape (n_samples, n_features)
    frequencies : Tensor of shape (n_branches, n_features, n_components)

    Returns
    -------
    Tensor of shape (n_samples,), in [0, 1]; always 1 for a stationary kernel.

    Examples
    --------
    >>> import torch
    >>> monte_carlo_kernel_diagonal(torch.ones(2, 3), torch.ones(1, 3, 4))
    tensor([1., 1.])
    """
    # NOTE[DIFF]: the paper prints cos((ω - ω')ᵀx), which is in [-1, 1]. The diagonal of its own
    # kernel is ½(1 + cos(·)), in [0, 1].
    n_branches = len(frequencies)
    total = inputs.new_zeros(len(inputs))
    for first in frequencies:
        for second in frequencies:
            total += (inputs @ (first - second)).cos().mean(dim=1)
    return total / n_branches**2
