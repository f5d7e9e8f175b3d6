"""Automated spectral kernel learning: strong models on tables, with a kernel one can see."""

from askl.estimators import (
    SpectralFeatures,
    SpectralKernelClassifier,
    SpectralKernelRegressor,
)

__version__ = "0.1.0.dev0"

__all__ = [
    "SpectralFeatures",
    "SpectralKernelClassifier",
    "SpectralKernelRegressor",
    "__version__",
]
