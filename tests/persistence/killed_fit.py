"""A fit that tests kill: what their processes run."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import torch

from askl import SpectralKernelClassifier, SpectralKernelRegressor

# The first step imports much of torch. Here the server imports it once, before it forks.
SpectralKernelClassifier(n_components=1, max_epochs=1, n_threads=1).fit([[0.0], [1.0]], [0, 1])


def run_fit(folder: Path, task: str, iterations: int, announce: int | None = None) -> None:
    """Fit with a checkpoint in the folder, and write the result there.

    After ``announce`` iterations it also writes a file called "there".
    """
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background

    def callback(progress, estimator):
        if announce is not None and progress.iteration >= announce:
            (folder / "there").touch()

    rng = np.random.default_rng(0)
    X = rng.normal(size=(320, 3))
    values = np.sin(2.0 * X[:, 0]) * X[:, 1]
    kind = SpectralKernelClassifier if task == "classes" else SpectralKernelRegressor
    model = kind(
        n_components=64,
        batch_size=32,
        max_epochs=iterations // 10,
        early_stopping=task == "classes",
        n_iter_no_change=10**9,
        record_every=20,
        callback=callback,
        checkpoint=folder / "state",
        checkpoint_every=5,
        random_state=0,
        n_threads=1,
    ).fit(X, values > 0 if task == "classes" else values)
    history = np.array([tuple(record)[:-1] for record in model.history_], dtype=float)
    arrays = {"frequencies": model.frequencies_, "weights": model.weights_, "history": history}
    with open(folder / "result.tmp", "wb") as file:
        np.savez(file, **arrays)
    os.replace(folder / "result.tmp", folder / "result")
