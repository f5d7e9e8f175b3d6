"""Which candidates become the members of an ensemble, with which weights."""

from askl.auto.ensemble.calibration import apply_temperature, choose_temperature
from askl.auto.ensemble.members import Members, mean_prediction, train_members
from askl.auto.ensemble.weighing import HeldOut

__all__ = [
    "HeldOut",
    "Members",
    "apply_temperature",
    "choose_temperature",
    "mean_prediction",
    "train_members",
]
