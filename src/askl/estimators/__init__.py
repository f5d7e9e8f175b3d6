"""The scikit-learn faces of the spectral kernel model."""

from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.regressor import SpectralKernelRegressor
from askl.estimators.transformer import SpectralFeatures

__all__ = ["SpectralFeatures", "SpectralKernelClassifier", "SpectralKernelRegressor"]
