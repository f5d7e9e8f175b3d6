"""Facts about fitted models: complexity, risk bounds, the learned density."""

from askl.learning import LossConstants
from askl.theory.bounds import Bounds, bounds
from askl.theory.complexity import (
    Estimate,
    closed_form_diagonal,
    rademacher_bound,
    signed_sums,
    spectral_share,
)
from askl.theory.fitted import as_drawn
from askl.theory.risk import (
    excess_risk_bound,
    generalization_gap_bound,
    loss_constants,
)
from askl.theory.spectrum import (
    DensityEstimate,
    SpectrumSummary,
    diagonal,
    marginal_spectral_density,
    spectral_density,
    summarize_spectrum,
)
from askl.theory.trajectory import BoundRecorder, TrajectoryPoint

__all__ = [
    "BoundRecorder",
    "Bounds",
    "DensityEstimate",
    "Estimate",
    "LossConstants",
    "SpectrumSummary",
    "TrajectoryPoint",
    "as_drawn",
    "bounds",
    "closed_form_diagonal",
    "diagonal",
    "excess_risk_bound",
    "generalization_gap_bound",
    "loss_constants",
    "marginal_spectral_density",
    "rademacher_bound",
    "signed_sums",
    "spectral_density",
    "spectral_share",
    "summarize_spectrum",
]
