"""The history of a run: its records, and the running means that they are made of."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Progress(NamedTuple):
    """One record of the history: means since the last record, and norms at this moment.

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
        Loss plus penalties.
    score : float or None
        Score on held-out rows, higher is better. None if there are no such rows.
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


class RunningMeans:
    """Means of what the batches returned, since each was last asked for.

    The numbers stay where they were computed until then: to read one waits for the device.

    Parameters
    ----------
    device : torch.device
        Where they are computed.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._values: dict[str, list[Tensor]] = {"loss": [], "feature_norm": [], "epoch_loss": []}

    def add(self, loss: Tensor, feature_norm: Tensor) -> None:
        """Add the means of one batch."""
        self._values["loss"].append(loss)
        self._values["feature_norm"].append(feature_norm)
        self._values["epoch_loss"].append(loss)

    def take(self, name: str) -> float:
        """Return the mean of ``"loss"``, ``"feature_norm"`` or ``"epoch_loss"``, and reset it."""
        mean = float(torch.stack(self._values[name]).double().mean())
        self._values[name].clear()
        return mean

    def tensors(self) -> dict[str, Tensor]:
        """Return the numbers that have been added, as one tensor for each mean."""
        return {
            name: torch.stack(values) if values else torch.empty(0)
            for name, values in self._values.items()
        }

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue from what :meth:`tensors` returned."""
        for name, values in self._values.items():
            values[:] = tensors[name].to(self._device).unbind()
