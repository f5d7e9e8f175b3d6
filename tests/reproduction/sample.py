"""Records with figures chosen by hand."""

from __future__ import annotations

from typing import Any


def make_records(dataset: str, unit: str, figures: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Make a record for each method and split."""
    return [
        {
            "trial": {"protocol": "corrected", "dataset": dataset, "method": method, "split": i},
            "status": "done",
            "metrics": {"test": {unit: figure}},
        }
        for method, values in figures.items()
        for i, figure in enumerate(values)
    ]
