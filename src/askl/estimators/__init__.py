"""The plain scikit-learn faces of the spectral kernel model."""

from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.features import SpectralFeatures
from askl.estimators.regressor import SpectralKernelRegressor

__all__ = ["SpectralFeatures", "SpectralKernelClassifier", "SpectralKernelRegressor"]
