"""What a spectral kernel is: densities, features and kernels, as pure functions on tensors."""

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
    ACTIVATIONS,
    Activation,
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

__all__ = [
    "ACTIVATIONS",
    "DENSITIES",
    "Activation",
    "Density",
    "Layer",
    "SpectralMap",
    "draw_frequencies",
    "draw_phases",
    "features",
    "gaussian",
    "kernel_diagonal",
    "kernel_matrix",
    "monte_carlo_kernel",
    "monte_carlo_kernel_diagonal",
    "natural_scale",
    "sparse_multiscale",
    "stacked_features",
]
