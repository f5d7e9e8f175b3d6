"""The table of errors, by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.tables.page import to_markdown
from benchmarks.tables.run import Job


def make_record(error: float, measure: str = "1 - ROC AUC", seconds: float = 2.0) -> dict[str, Any]:
    return {"errors": {measure: error}, "fit_cpu_seconds": seconds}


def test_errors_and_ratios_by_hand() -> None:
    records: dict[Any, Any] = {
        Job("churn", "askl-auto", 0): make_record(0.1),
        Job("churn", "askl-auto", 1): make_record(0.3, seconds=4.0),
        Job("churn", "catboost", 0): make_record(0.1),
        Job("churn", "catboost", 1): make_record(0.7),
        Job("churn", "lightgbm", 0): make_record(0.2),  # no second fold
        Job("airfoil", "askl-auto", 0): make_record(2.0, "RMSE"),
        Job("airfoil", "askl-auto", 1): make_record(2.0, "RMSE"),
        Job("airfoil", "catboost", 0): make_record(1.0, "RMSE"),
        Job("airfoil", "catboost", 1): make_record(1.0, "RMSE"),
        Job("diamonds", "askl-auto", 0): {"error": "no"},
    }
    text = to_markdown(records, [0, 1], inner=False)
    lines = text.splitlines()
    assert lines[0].startswith("| table | measure | askl-auto | askl | catboost |")
    assert "| churn | 1 - ROC AUC | 0.2 (3 s) | - | 0.4 (2 s) | - | - | - |" in lines
    assert "| diamonds | RMSE | - | - | - | - | - | - |" in lines
    assert lines[-1] == (
        "askl-auto is better than catboost on 1 of 2 tables; the geometric mean of the ratio of "
        "errors is 1.000."
    )
    assert "lightgbm on" not in text
    assert "0.4" not in to_markdown(records, [0, 1], inner=True)
