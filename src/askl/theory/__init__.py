"""Rademacher complexity and risk bounds of a fitted model, as numbers and over training."""

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
    LOSS_CONSTANTS,
    LossConstants,
    excess_risk_bound,
    generalization_gap_bound,
    loss_constants,
)
from askl.theory.trajectory import BoundRecorder, TrajectoryPoint

__all__ = [
    "LOSS_CONSTANTS",
    "BoundRecorder",
    "Bounds",
    "Estimate",
    "LossConstants",
    "TrajectoryPoint",
    "as_drawn",
    "bounds",
    "closed_form_diagonal",
    "excess_risk_bound",
    "generalization_gap_bound",
    "loss_constants",
    "rademacher_bound",
    "signed_sums",
    "spectral_share",
]
