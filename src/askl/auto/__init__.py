"""The automatic models: candidates, search, selection, members, calibration."""

from askl.auto.models import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor

__all__ = ["AutoSpectralKernelClassifier", "AutoSpectralKernelRegressor"]
