"""The automatic models: encoders, candidates, search, selection, members, calibration."""

from askl.auto.candidates import Candidate
from askl.auto.classifier import AutoSpectralKernelClassifier
from askl.auto.execution import Work, count_work, estimate_seconds
from askl.auto.regressor import AutoSpectralKernelRegressor
from askl.auto.settings import CostConstants, SearchSettings

__all__ = [
    "AutoSpectralKernelClassifier",
    "AutoSpectralKernelRegressor",
    "Candidate",
    "CostConstants",
    "SearchSettings",
    "Work",
    "count_work",
    "estimate_seconds",
]
