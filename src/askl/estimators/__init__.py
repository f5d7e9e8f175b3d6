"""The scikit-learn faces of the spectral kernel model."""

from askl.estimators.auto import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.estimators.classifier import SpectralKernelClassifier
from askl.estimators.neighbours import NeighbourEncoder
from askl.estimators.regressor import SpectralKernelRegressor
from askl.estimators.spreads import SpreadEncoder
from askl.estimators.symmetries import find_symmetries
from askl.estimators.table import TableEncoder, make_table_pipeline
from askl.estimators.transformer import SpectralFeatures

__all__ = [
    "AutoSpectralKernelClassifier",
    "AutoSpectralKernelRegressor",
    "NeighbourEncoder",
    "SpectralFeatures",
    "SpectralKernelClassifier",
    "SpectralKernelRegressor",
    "SpreadEncoder",
    "TableEncoder",
    "find_symmetries",
    "make_table_pipeline",
]
