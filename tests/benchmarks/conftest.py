"""Small stand-ins for the data sets, so that the programs run where the real ones are absent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    labels = np.array([1, 2, 7])[np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])]
    numbers = -3.0 + np.sin(X[:, 0]) + X[:, 1]
    for name, y in (("segment", labels), ("satimage", labels), ("space_ga", numbers)):
        np.savez(folder / f"{name}.npz", X=X, y=y)
    np.savez(folder / "mnist.npz", X=np.full((10, 2), 255, dtype=np.uint8), y=np.arange(10))
    monkeypatch.setenv("ASKL_DATA", str(folder))
    return folder
