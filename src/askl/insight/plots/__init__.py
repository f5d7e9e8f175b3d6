"""Plots of fitted models, as displays in the style of scikit-learn.

Every display has ``from_estimator(..., ax=None)``, which computes and draws, and ``plot(ax)``,
which draws again on other axes. matplotlib is imported when something is drawn.
"""

from askl.insight.plots.display import Display, house_style
from askl.insight.plots.head import FeatureRelevanceDisplay, SingularValuesDisplay
from askl.insight.plots.kernels import (
    KernelDiagonalDisplay,
    KernelMapDisplay,
    KernelMatrixDisplay,
)
from askl.insight.plots.predictions import DecisionRegionsDisplay, FeatureEmbeddingDisplay
from askl.insight.plots.spectra import MarginalDensityDisplay, SpectralDensityDisplay
from askl.insight.plots.training import BoundTrajectoryDisplay, TrainingCurvesDisplay

__all__ = [
    "BoundTrajectoryDisplay",
    "DecisionRegionsDisplay",
    "Display",
    "FeatureEmbeddingDisplay",
    "FeatureRelevanceDisplay",
    "KernelDiagonalDisplay",
    "KernelMapDisplay",
    "KernelMatrixDisplay",
    "MarginalDensityDisplay",
    "SingularValuesDisplay",
    "SpectralDensityDisplay",
    "TrainingCurvesDisplay",
    "house_style",
]
