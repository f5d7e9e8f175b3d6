"""A small table with strings and gaps, in place of one of each task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with three tables."""
    folder = tmp_path / "data" / "tables"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    number, kind = rng.normal(size=90), rng.choice(["a", "b"], 90)
    signal = number + (kind == "a")
    targets = {
        "churn": np.where(signal > 0.5, "yes", "no"),
        "anneal": np.array(["x", "y", "z"])[np.digitize(signal, [0.0, 1.0])],
        "airfoil": signal,
    }
    for name, target in targets.items():
        frame = pd.DataFrame({"number": number, "kind": kind, "target": target})
        frame.loc[::7, "number"] = np.nan
        frame.to_parquet(folder / f"{name}.parquet")
    monkeypatch.setenv("ASKL_DATA", str(folder.parent))
    return folder
