"""Three peers as single points of score and time, for the curves of time to accuracy."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.data import Split
from benchmarks.peers import models

PEERS = {"LightGBM": "lightgbm", "RBF-SVM": "svm-tuned", "RBFSampler + ridge": "rff"}

# A support vector machine on more numbers than this takes too long to wait for.
MOST_NUMBERS = 2e7


def measure_peer(name: str, split: Split, threads: int) -> dict[str, Any]:
    """Fit a peer, or return why it is skipped: it would take too long."""
    if name == "RBF-SVM" and split.X_train.size > MOST_NUMBERS:
        return {"name": name, "skipped": f"more than {MOST_NUMBERS:g} numbers to train on"}
    model = models.PEERS[PEERS[name]].make(models.Task(split.regression, threads))
    started = time.perf_counter()
    model.fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - started
    return {"name": name, "seconds": seconds, "score": split.score(model.predict(split.X_test))}
