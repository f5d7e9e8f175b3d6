"""Peers as single points: score and seconds, or why there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.data import Split, protocol_split
from benchmarks.peers.points import MOST_NUMBERS, PEERS, measure_peer


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_has_a_score_and_seconds(name: str, embedded: Path) -> None:
    point = measure_peer(name, protocol_split("segment"), threads=1)
    assert point["name"] == name
    assert point["score"] > 85.0
    assert point["seconds"] > 0.0


def test_a_support_vector_machine_skips_large_data() -> None:
    X = np.broadcast_to(np.float32(0.0), (int(MOST_NUMBERS), 2))
    point = measure_peer("RBF-SVM", Split(X, np.zeros(1), X, np.zeros(1)), threads=1)
    assert point == {"name": "RBF-SVM", "skipped": "more than 2e+07 numbers to train on"}
