"""What every process of the distributed tests runs, started by torchrun.

Usage: shared_fit.py FOLDER [kill-rank]
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np

from askl import SpectralKernelClassifier, SpectralKernelRegressor

RANK = int(os.environ.get("RANK", "0"))
SETTINGS = {
    "n_components": 40,
    "batch_size": 50,
    "max_epochs": 8,
    "n_threads": 1,
    "distributed": "RANK" in os.environ,
}


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(320, 3))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1]


def fit_all(folder: Path) -> None:
    """Fit a few models, and let the first process save what they learned."""
    X, y = rows()
    deep = {"hidden_components": (8,), "early_stopping": True, "random_state": 0}
    weighted = {"weigh_inputs": True, "decorrelate_inputs": True, "random_state": 0}
    symmetric = {"symmetries": [(1, 0, 2)], "random_state": 0}
    ridge = {"head_penalty": 1e-2, "random_state": 0}
    models = {
        "classes": SpectralKernelClassifier(**SETTINGS, random_state=0).fit(X, y > 0),
        # Two features a component, a number of them that no two or four processes share evenly.
        "paired": SpectralKernelClassifier(
            **{**SETTINGS, "n_components": 37},
            activation="paired",
            early_stopping=True,
            random_state=0,
        ).fit(X, y > 0),
        "deep": SpectralKernelClassifier(**SETTINGS, **deep).fit(X, y > 0),
        "weighted": SpectralKernelClassifier(**SETTINGS, **weighted).fit(X, y > 0),
        "symmetric": SpectralKernelClassifier(**SETTINGS, **symmetric).fit(X, y > 0),
        # A weak ridge would make much of the last bits: its equations are nearly singular.
        "numbers": SpectralKernelRegressor("nskl", **SETTINGS, **ridge).fit(X, y),
        "trained": SpectralKernelRegressor(
            **SETTINGS, random_state=0, optimizer="sgd", refit_head=False
        ).fit(X, y),
        "stream": SpectralKernelClassifier(**SETTINGS, random_state=0).fit_stream(
            lambda: iter([(X[:200], y[:200] > 0), (X[200:], y[200:] > 0)])
        ),
    }
    arrays = {}
    for name, model in models.items():
        arrays[f"{name} frequencies"] = model.frequencies_
        outputs = getattr(model, "decision_function", model.predict)
        arrays[f"{name} outputs"] = outputs(X)
        arrays[f"{name} losses"] = np.array([record.loss for record in model.history_])
    # Without a seed of their own, all processes draw the first one's.
    arrays["seed"] = np.array(SpectralKernelClassifier(**SETTINGS).fit(X, y > 0).seed_)
    np.savez(folder / f"{RANK}.npz", **arrays)


def fit_and_die(folder: Path, victim: int) -> None:
    """Fit with a checkpoint; one of the processes is killed on the way."""

    def die(progress, estimator):
        if victim == RANK and progress.iteration == 25:
            os.kill(os.getpid(), signal.SIGKILL)

    X, y = rows()
    model = SpectralKernelClassifier(
        **SETTINGS,
        random_state=0,
        record_every=1,
        callback=die,
        checkpoint=folder / "state",
        checkpoint_every=10,
    ).fit(X, y > 0)
    np.savez(folder / f"{RANK}.npz", weights=model.weights_)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    if len(sys.argv) > 2:
        fit_and_die(place, int(sys.argv[2]))
    else:
        fit_all(place)
