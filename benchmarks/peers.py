"""Other learners at fixed settings, as single points of score and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.data import Split

# A support vector machine on more numbers than this takes too long to wait for.
MOST_NUMBERS = 2e7


def _lightgbm(split: Split, threads: int) -> Any:
    kind = LGBMRegressor if split.regression else LGBMClassifier
    return kind(n_jobs=threads, random_state=0, verbose=-1)


def _support_vectors(split: Split, threads: int) -> Any:
    machine = SVR(C=30.0, epsilon=1.0) if split.regression else SVC(C=10.0)
    return make_pipeline(StandardScaler(), machine)


def _random_features(split: Split, threads: int) -> Any:
    sampler = RBFSampler(gamma="scale", n_components=2000, random_state=0)
    # Features have norm one, so a strength of one would be far too much.
    ridge = Ridge if split.regression else RidgeClassifier
    return make_pipeline(StandardScaler(), sampler, ridge(alpha=1e-2))


PEERS: dict[str, Callable[[Split, int], Any]] = {
    "LightGBM": _lightgbm,
    "RBF-SVM": _support_vectors,
    "RBFSampler + ridge": _random_features,
}


def measure_peer(name: str, split: Split, threads: int) -> dict[str, Any]:
    """Fit a peer; say why not where that would take too long."""
    if name == "RBF-SVM" and split.X_train.size > MOST_NUMBERS:
        return {"name": name, "skipped": f"more than {MOST_NUMBERS:g} numbers to train on"}
    model = PEERS[name](split, threads)
    started = time.perf_counter()
    model.fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - started
    return {"name": name, "seconds": seconds, "score": split.score(model.predict(split.X_test))}
