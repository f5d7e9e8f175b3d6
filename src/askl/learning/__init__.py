"""How a spectral kernel is learned: losses, penalties, one objective, one loop, five methods."""

from askl.learning.batch import Batch
from askl.learning.heads.head_problem import make_head_problem
from askl.learning.heads.penalty_path import PathPoint, walk_penalty_path
from askl.learning.heads.ridge import NormalEquations, choose_head
from askl.learning.history import Progress
from askl.learning.loss_types import Loss, LossConstants, NamedLoss, from_values
from askl.learning.losses import (
    LOSSES,
    hinge_loss,
    log_loss,
    smoothed_log_loss,
    squared_loss,
)
from askl.learning.methods import METHODS, Method
from askl.learning.model import Model, compute_features, compute_outputs
from askl.learning.norms.feature_strength import feature_penalty_of_strength
from askl.learning.norms.head_norm import HeadNorm, UnsquaredNorm
from askl.learning.norms.singular_values import singular_values
from askl.learning.objective import Objective
from askl.learning.optimizers import OPTIMIZERS, Rule
from askl.learning.options import SCHEDULES, TrainingOptions
from askl.learning.penalties import (
    HEAD_NORMS,
    prox_squared_frobenius,
    prox_trace_norm,
    squared_feature_norm,
    squared_frobenius_norm,
    trace_norm,
)
from askl.learning.run_state import Checkpointer, RunState
from askl.learning.sources import Source, TensorRows
from askl.learning.training import TrainingResult, train

__all__ = [
    "HEAD_NORMS",
    "LOSSES",
    "METHODS",
    "OPTIMIZERS",
    "SCHEDULES",
    "Batch",
    "Checkpointer",
    "HeadNorm",
    "Loss",
    "LossConstants",
    "Method",
    "Model",
    "NamedLoss",
    "NormalEquations",
    "Objective",
    "PathPoint",
    "Progress",
    "Rule",
    "RunState",
    "Source",
    "TensorRows",
    "TrainingOptions",
    "TrainingResult",
    "UnsquaredNorm",
    "choose_head",
    "compute_features",
    "compute_outputs",
    "feature_penalty_of_strength",
    "from_values",
    "hinge_loss",
    "log_loss",
    "make_head_problem",
    "prox_squared_frobenius",
    "prox_trace_norm",
    "singular_values",
    "smoothed_log_loss",
    "squared_feature_norm",
    "squared_frobenius_norm",
    "squared_loss",
    "trace_norm",
    "train",
    "walk_penalty_path",
]
