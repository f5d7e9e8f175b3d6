"""Automated spectral kernel learning: strong models on tables, with a kernel one can see.

Examples
--------
>>> import askl
>>> askl.__version__
'0...'
"""

from askl.estimators import (
    AutoSpectralKernelClassifier,
    AutoSpectralKernelRegressor,
    NeighbourEncoder,
    SpectralFeatures,
    SpectralKernelClassifier,
    SpectralKernelRegressor,
    SpreadEncoder,
    TableEncoder,
    find_symmetries,
    make_table_pipeline,
)
from askl.estimators.persistence import load, save

__version__ = "0.1.0.dev0"

__all__ = [
    "AutoSpectralKernelClassifier",
    "AutoSpectralKernelRegressor",
    "NeighbourEncoder",
    "SpectralFeatures",
    "SpectralKernelClassifier",
    "SpectralKernelRegressor",
    "SpreadEncoder",
    "TableEncoder",
    "__version__",
    "find_symmetries",
    "load",
    "make_table_pipeline",
    "save",
]
