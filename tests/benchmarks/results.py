"""Reading what a program has saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def saved(folder: Path, name: str) -> dict[str, Any]:
    results: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    assert results["quick"] is True
    assert results["machine"]["versions"]["torch"]
    return results
