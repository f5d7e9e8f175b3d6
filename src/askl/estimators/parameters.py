"""The one table of the parameters of the estimators: defaults, constraints and documentation.

The fields of these dataclasses make the constructors, the checks in ``fit`` and the Parameters
sections of the documentation. A parameter stands in the class of those estimators that use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from typing import Any

import torch
from sklearn.base import BaseEstimator

from askl.learning import HEAD_NORMS, LOSSES, METHODS, OPTIMIZERS, SCHEDULES, Progress
from askl.preprocessing.input_scaling import SCALINGS
from askl.preprocessing.parameter_table import parameter
from askl.preprocessing.parameter_validation import (
    AUTO,
    BOOLEAN,
    CALLABLE,
    INTEGERS,
    NONE,
    ORDERS,
    RANDOM_STATE,
    instance,
    integer,
    one_of,
    real,
    share,
)
from askl.preprocessing.target_scaling import TARGET_SCALES
from askl.spectral import ACTIVATIONS, DENSITIES
from askl.spectral.densities import Phases


@dataclass(eq=False, repr=False)
class SpectralParameters(BaseEstimator):
    """The parameters of every estimator."""

    method: str = parameter(
        "askl",
        one_of(METHODS),
        "Row of Table 1 of the paper: whether the kernel is stationary (one branch) or not (two), "
        "whether its density is assigned or learned, and how it is regularised. ``n_branches``, "
        "``learn_frequencies``, ``head_norm``, ``head_penalty`` and ``feature_penalty`` replace "
        "single fields of the row.",
    )
    _: KW_ONLY
    # NOTE[DIFF]: the paper has D = 2000. Half as many cost half the time and memory.
    n_components: int = parameter(
        1000,
        integer(1),
        "D, the number of frequencies; with two branches, of pairs of frequencies.",
    )
    hidden_components: tuple[int, ...] = parameter(
        (),
        INTEGERS,
        "Widths of the spectral layers below the last one. With any, the kernel is deep.",
    )
    activation: str = parameter(
        "cosine",
        one_of(ACTIVATIONS),
        '``"paired"`` is the exact sine-cosine map ψ, with 2D features.',
    )
    frequency_scale: float | str = parameter(
        "auto",
        real(0.0, above=True) | AUTO,
        'σ of the initial density. ``"auto"`` is the scale that suits this density on scaled '
        "inputs.",
    )
    # NOTE[DIFF]: the paper draws from a normal density. A sparse one has interactions of few inputs
    # at many scales.
    density: str = parameter(
        "sparse",
        one_of(DENSITIES),
        "Initial density: each frequency acts on one to three inputs (pairs: on one or two), at a "
        "random scale, or on all inputs, as the normal density of the paper.",
    )
    phases: Phases = parameter(
        "shared",
        one_of(["shared", "independent"]),
        "Whether the branches share their phases, which makes the kernel non-stationary in "
        "expectation, or have independent ones, as printed in the paper.",
    )
    # NOTE[DIFF]: the paper classifies with the hinge loss, which gives no probabilities.
    loss: str = parameter(
        "auto",
        one_of(LOSSES) | AUTO,
        '``"log"``, ``"smoothed_log"`` or ``"hinge"`` for classes, ``"squared"`` for numbers. '
        '``"auto"`` is ``"smoothed_log"`` or ``"squared"``.',
    )
    head_penalty: float | None = parameter(
        None,
        real(0.0) | NONE,
        "λ₁, the weight of the norm of W. None: that of the method; where the head is solved "
        "exactly, chosen on held-out rows.",
    )
    feature_penalty: float | None = parameter(
        None,
        real(0.0) | NONE,
        "λ₂, the weight of the mean squared norm of the features. None: that of the method.",
    )
    optimizer: str = parameter("adam", one_of(OPTIMIZERS), "How gradients become steps.")
    learning_rate: float | str = parameter(
        "auto",
        real(0.0, above=True) | AUTO,
        'Learning rate of the frequencies of the first layer. ``"auto"`` decreases with the '
        "number d of inputs, as 0.04 / sqrt(max(16, d)). The rates of later layers decrease in "
        "the same way.",
    )
    # NOTE[DIFF]: the paper has one learning rate. W must grow to norms of 20 to 500, and does not
    # get there at the rate of the frequencies.
    head_learning_rate: float = parameter(
        0.05,
        real(0.0, above=True),
        "Learning rate of W. Features have a norm of at most one, so that W must grow large.",
    )
    # NOTE[DIFF]: the paper has constant rates. With decreasing ones fewer steps are needed.
    schedule: str = parameter(
        "cosine", one_of(SCHEDULES), "How both learning rates change during training."
    )
    # NOTE[DIFF]: the script of the paper has batches of 32. On many rows larger ones cost less, and
    # errors were no larger.
    batch_size: int | str = parameter(
        "auto",
        integer(1) | AUTO,
        'Rows in a batch, at most all of them. ``"auto"`` grows with their number, from 32 to 256.',
    )
    max_epochs: int = parameter(30, integer(1), "Passes over the data, at most.")
    # NOTE[DIFF]: the paper has no dropout. Without it errors were 1.0 ± 1.0 % larger.
    dropout: float = parameter(
        0.1, real(0.0, 1.0), "Share of the features that each training step leaves out at random."
    )
    input_noise: float = parameter(
        0.0,
        real(0.0),
        "Standard deviation of the normal noise that each training step adds to the scaled "
        "inputs. It helps where many inputs carry the same information, as the pixels of an "
        "image do.",
    )
    symmetries: Sequence[Sequence[int]] | None = parameter(
        None,
        NONE | ORDERS,
        "Orders of the columns under which the target of a row stays the same. ``[(1, 0, 2)]``: "
        "the first two of three columns are exchangeable. Their compositions are added. Training "
        "sees every row in a random one of these orders. :func:`find_symmetries` finds such "
        "orders.",
    )
    early_stopping: bool = parameter(
        False,
        BOOLEAN,
        "Whether to hold out rows, to stop when their score no longer improves, and to keep the "
        "best epoch.",
    )
    # NOTE[DIFF]: the paper trains on all training rows. A regressor holds out a tenth of them, to
    # choose the strength of its head.
    validation_fraction: float | str = parameter(
        "auto",
        real(0.0, 1.0, above=True) | AUTO,
        "Share of the rows to hold out, for early stopping and for the penalty of a solved head. "
        '``"auto"``: a tenth. For the head of a classifier 500 rows, but 5 to 25 percent.',
    )
    n_iter_no_change: int = parameter(
        5, integer(1), "Epochs without a better score before training stops early."
    )
    # NOTE[DIFF]: the paper scales no inputs in the model. A kernel depends on distances, so units
    # would matter.
    scale_inputs: str = parameter(
        "robust",
        one_of(SCALINGS),
        'Built-in scaling of the columns. ``"robust"``: by median and interquartile range, with '
        'a smooth clip. ``"standard"``: by mean and standard deviation. ``"quantile"``: by ranks, '
        'to a normal distribution. ``"robust+quantile"``: both, side by side. '
        '``"robust+direction"``: robust, and beside it each row divided by its length. '
        '``"bins"``: a piecewise-linear encoding of up to eight columns for each input. '
        '``"none"``: as given.',
    )
    # NOTE[DIFF]: the paper trains W by gradient steps only. A solved head replaces many epochs.
    refit_head: bool | str = parameter(
        "auto",
        BOOLEAN | AUTO,
        "Whether to solve the convex problem in W at the end, for the features as they are then. "
        "Held-out rows choose the strength of its penalty, or to keep the trained head. "
        '``"auto"``: for squared loss only. For noisy classes, use it with ``weigh_inputs``.',
    )
    decorrelate_inputs: bool = parameter(
        False,
        BOOLEAN,
        "Whether to train along the principal directions of the scaled inputs, with the square "
        "roots of the variances as variances. It helps where columns are nearly the same and "
        "their differences matter. It has no effect on a warm start, or where frequencies are "
        "not learned.",
    )
    weigh_inputs: bool = parameter(
        False,
        BOOLEAN,
        "Whether to multiply the scaled inputs by weights that grow with their relevance. A "
        "short training, of a quarter of the epochs, measures the relevance; then training "
        "begins again. It helps where only few of many columns matter. It has no effect on a "
        "warm start, or where frequencies are not learned.",
    )
    n_branches: int | None = parameter(
        None,
        integer(1) | NONE,
        "1 for a stationary kernel, 2 for a non-stationary one. None: that of the method.",
    )
    learn_frequencies: bool | None = parameter(
        None,
        BOOLEAN | NONE,
        "Whether frequencies are learned or stay as drawn. None: as the method says.",
    )
    head_norm: str | None = parameter(
        None, one_of(HEAD_NORMS) | NONE, "The norm of W in the penalty. None: that of the method."
    )
    warm_start: bool = parameter(
        False,
        BOOLEAN,
        "Whether ``fit`` continues from the frequencies and weights of the last fit.",
    )
    device: str = parameter(
        "cpu",
        instance((str, torch.device), "a device such as 'cpu' or 'cuda'"),
        'Device for training and prediction, such as ``"cpu"`` or ``"cuda"``.',
    )
    n_threads: int | None = parameter(
        None,
        integer(1) | NONE,
        "Number of threads. None: one for small problems, otherwise all that torch may use.",
    )
    record_every: int | None = parameter(
        None,
        integer(1) | NONE,
        "Iterations between two records of ``history_``. None: those of an epoch.",
    )
    callback: Callable[[Progress, Any], None] | None = parameter(
        None,
        CALLABLE | NONE,
        "Called as ``callback(progress, estimator)`` at every record. The estimator can predict.",
    )
    checkpoint: str | PathLike[str] | None = parameter(
        None,
        instance((str, PathLike), "a path") | NONE,
        "File for the state of ``fit`` while it trains. If the file already holds the state of "
        "the same fit, training continues from there and ends with the same bits. At the end of "
        "the fit the file is removed.",
    )
    checkpoint_every: int | None = parameter(
        None,
        integer(1) | NONE,
        "Iterations between two writes of the checkpoint. None: those of an epoch.",
    )
    distributed: bool = parameter(
        False,
        BOOLEAN,
        "Whether the processes that torchrun started share the fit. Each of them must call "
        "``fit`` in the same way.",
    )
    random_state: Any = parameter(
        None,
        RANDOM_STATE,
        "Seed of the frequencies, the phases, the held-out rows and the order of the batches.",
    )
    verbose: int = parameter(0, BOOLEAN | integer(0), "1 shows a progress bar.")


@dataclass(eq=False, repr=False, kw_only=True)
class ClassifierParameters(SpectralParameters):
    """Those of the classifier."""

    head_strength: float | None = parameter(
        None,
        share() | NONE,
        "Penalty of the solved head, as a share of the one that makes W zero: 1 is the null "
        "model, and the same number means the same shrinkage for every norm, loss and number of "
        "rows. None: chosen on held-out rows.",
    )
    class_weight: dict[Any, float] | str | None = parameter(
        None,
        one_of(["balanced"]) | instance(dict, "a dict of class weights") | NONE,
        "Weights of the classes, as in scikit-learn.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class NumberParameters(SpectralParameters):
    """Those of estimators that learn from targets that are numbers: the regressor, the features."""

    # NOTE[DIFF]: the paper scales targets to [0, 100]. Standardised ones make penalties independent
    # of the unit.
    scale_targets: str = parameter(
        "standard",
        one_of(TARGET_SCALES),
        "How targets that are numbers are scaled for training: to mean zero and standard "
        "deviation one, either themselves or their logarithms (linear near the lowest of them), "
        "which suits prices and counts.",
    )
