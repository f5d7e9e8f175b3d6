"""What a spectral kernel is: densities, features and kernels, as pure functions on tensors."""

from askl.spectral.activations import ACTIVATIONS, Activation
from askl.spectral.densities import (
    DENSITIES,
    Density,
    draw_frequencies,
    draw_phases,
    gaussian,
    natural_scale,
    sparse_multiscale,
)
from askl.spectral.features import (
    Layer,
    SpectralMap,
    features,
    stacked_features,
)
from askl.spectral.kernels import (
    kernel_diagonal,
    kernel_matrix,
    monte_carlo_kernel,
    monte_carlo_kernel_diagonal,
)
from askl.spectral.learned_density import (
    along,
    distance_moved,
    effective_frequencies,
    frequency_shares,
    joint_density,
    marginal_density,
    off_diagonal_share,
    principal_directions,
)

__all__ = [
    "ACTIVATIONS",
    "DENSITIES",
    "Activation",
    "Density",
    "Layer",
    "SpectralMap",
    "along",
    "distance_moved",
    "draw_frequencies",
    "draw_phases",
    "effective_frequencies",
    "features",
    "frequency_shares",
    "gaussian",
    "joint_density",
    "kernel_diagonal",
    "kernel_matrix",
    "marginal_density",
    "monte_carlo_kernel",
    "monte_carlo_kernel_diagonal",
    "natural_scale",
    "off_diagonal_share",
    "principal_directions",
    "sparse_multiscale",
    "stacked_features",
]
