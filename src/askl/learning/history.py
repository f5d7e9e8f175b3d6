"""The history of a run: running means between records, and the records themselves."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import torch
from torch import Tensor

from askl.learning.gradients import Gradients
from askl.learning.model import Model
from askl.learning.objective import Objective


class Progress(NamedTuple):
    """One record of the history: means since the last record, norms at the time of it.

    Attributes
    ----------
    epoch : int
        Epochs finished.
    iteration : int
        Steps taken.
    loss : float
        Mean loss without penalties.
    head_norm : float
        ‖W‖ in the objective's norm, without λ₁.
    feature_norm : float
        Mean of ‖φ(x)‖², without λ₂.
    objective : float
        Loss and penalties added up.
    score : float or None
        On held-out rows, higher is better; None where there are none.
    seconds : float
        Time trained so far.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askl import SpectralKernelClassifier
    >>> model = SpectralKernelClassifier(n_components=20, max_epochs=2, random_state=0)
    >>> [progress.epoch for progress in model.fit(*load_iris(return_X_y=True)).history_]
    [1, 2]
    """

    epoch: int
    iteration: int
    loss: float
    head_norm: float
    feature_norm: float
    objective: float
    score: float | None
    seconds: float


class Recorder:
    """Running means of loss and feature norm, turned into records on request."""

    def __init__(self, model: Model, objective: Objective) -> None:
        self.model, self.objective = model, objective
        self.history: list[Progress] = []
        self._started = time.perf_counter()
        # Since the last record, and since the epoch began; scalars, stacked when asked for.
        self._pending: dict[str, list[Tensor]] = {"losses": [], "feature_norms": [], "of_epoch": []}

    def add(self, gradients: Gradients) -> None:
        """Note the means of one batch."""
        pending = self._pending
        pending["losses"].append(gradients.loss)
        pending["feature_norms"].append(gradients.feature_norm)
        pending["of_epoch"].append(gradients.loss)

    def _take_mean(self, name: str) -> float:
        mean = float(torch.stack(self._pending[name]).double().mean())
        self._pending[name].clear()
        return mean

    def epoch_loss(self) -> float:
        """Return the mean loss since the last call."""
        return self._take_mean("of_epoch")

    def record(self, epoch: int, iteration: int, score: float | None) -> Progress:
        """Add a record to the history and return it."""
        loss = self._take_mean("losses")
        feature_norm = self._take_mean("feature_norms")
        finite = math.isfinite(loss) and bool(self.model.weights.isfinite().all())
        head_norm = (
            float(self.objective.head_norm.value(self.model.weights)) if finite else math.nan
        )
        progress = Progress(
            epoch=epoch,
            iteration=iteration,
            loss=loss,
            head_norm=head_norm,
            feature_norm=feature_norm,
            objective=self.objective.total(loss, head_norm, feature_norm),
            score=score,
            seconds=self.seconds(),
        )
        self.history.append(progress)
        return progress

    def seconds(self) -> float:
        """Return the time trained so far, that of earlier lives of a resumed run included."""
        return time.perf_counter() - self._started

    def tensors(self) -> dict[str, Tensor]:
        """Return what has been added since the last record, as named tensors."""
        return {
            name: torch.stack(values) if values else torch.empty(0)
            for name, values in self._pending.items()
        }

    def restore(self, tensors: dict[str, Tensor], history: list[list[Any]], seconds: float) -> None:
        """Go on from what :meth:`tensors`, ``history`` and :meth:`seconds` were."""
        device = self.model.weights.device
        for name, values in self._pending.items():
            values[:] = tensors[name].to(device).unbind()
        self.history[:] = [Progress(*record) for record in history]
        self._started = time.perf_counter() - seconds
