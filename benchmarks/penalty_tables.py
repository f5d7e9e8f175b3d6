"""What the records of the penalty paths say: choices of strengths, and tables of log losses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import markdown_table
from studies.store import Record

FEATURES = {("nsk", 0): "assigned", ("askl", 8): "8 epochs", ("askl", 30): "30 epochs"}


class Choice(NamedTuple):
    """A log loss on rows that did not choose, and the points that were chosen by both halves."""

    log_loss: float
    points: tuple[int, int]


def choose(log_losses: Sequence[Sequence[float]]) -> Choice:
    """Choose the best point by one half of the held-out rows, judge it by the other; both ways."""
    both = np.array(log_losses)
    first, second = both.argmin(axis=0)
    return Choice(float((both[first, 1] + both[second, 0]) / 2.0), (int(first), int(second)))


def select(records: Iterable[Record], **fields: Any) -> list[Record]:
    """Return the records with these fields: one for each split."""
    return [each for each in records if all(each[name] == x for name, x in fields.items())]


def names_of(records: Iterable[Record]) -> list[str]:
    """Return the names of the data, fewest outputs first."""
    outputs = {each["data"]: each["n_outputs"] for each in records}
    return sorted(outputs, key=lambda name: outputs[name])


def chosen_loss(records: Sequence[Record]) -> float:
    """Return the log loss at the chosen strengths, the mean over splits."""
    return float(np.mean([choose(each["log_loss"]).log_loss for each in records]))


def chosen_value(records: Sequence[Record], field: str) -> float:
    """Return what a field is at the chosen strengths, the mean over splits and halves."""
    points = [(each, point) for each in records for point in choose(each["log_loss"]).points]
    return float(np.mean([each[field][point] for each, point in points]))


def chosen_strengths(records: Sequence[Record]) -> str:
    """Write the range of the chosen strengths."""
    points = [each["strength"][i] for each in records for i in choose(each["log_loss"]).points]
    return f"{min(points):.2g} to {max(points):.2g}"


def head_rows(records: Sequence[Record]) -> list[list[str]]:
    rows = []
    for data in names_of(records):
        for (method, epochs), features in FEATURES.items():
            here = select(records, data=data, method=method, epochs=epochs, feature_strength=0.0)
            trace, frobenius = (
                [each for each in here if each["head_norm"] == norm]
                for norm in ("trace", "frobenius")
            )
            ends = [np.mean([each[key] for each in trace]) for key in ("trained_head",)]
            ends.append(np.mean([each["log_loss"][-1] for each in trace]))
            losses = [*ends, chosen_loss(frobenius), chosen_loss(trace)]
            cells = [f"{loss:.4f}" for loss in losses]
            rows.append([data, features, *cells, chosen_strengths(trace)])
    return rows


def head_table(records: Sequence[Record]) -> str:
    """Make the table of λ₁: log losses of heads that were trained or solved, λ₂ = 0."""
    columns = ["data", "features", "trained head", "λ₁ = 10⁻⁴", "Frobenius", "trace", "chosen λ₁"]
    return markdown_table(columns, head_rows(records))


def feature_rows(records: Sequence[Record]) -> list[list[str]]:
    rows = []
    for data in names_of(records):
        for method, norm in (("nskl", "frobenius"), ("askl", "trace")):
            for epochs in (8, 30):
                here = select(records, data=data, method=method, epochs=epochs, head_norm=norm)
                losses = [chosen_loss(each) for each in by_feature_strength(here).values()]
                cells = [f"{loss:.4f}" for loss in losses]
                rows.append([data, method.upper(), str(epochs), *cells])
    return rows


def by_feature_strength(records: Iterable[Record]) -> dict[float, list[Record]]:
    """Group records by the strength of λ₂, the weakest first."""
    groups: dict[float, list[Record]] = {}
    for each in sorted(records, key=lambda record: record["feature_strength"]):
        groups.setdefault(each["feature_strength"], []).append(each)
    return groups


def feature_table(records: Sequence[Record]) -> str:
    """Make the table of λ₂: log losses of solved heads, at the λ₁ that held-out rows chose."""
    strengths = [f"λ₂ = {strength:g}" for strength in by_feature_strength(records)]
    return markdown_table(["data", "method", "epochs", *strengths], feature_rows(records))
