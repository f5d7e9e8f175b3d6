"""What the records of the penalty paths say: choices of strengths, and tables of log losses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import figure, markdown_table
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


def mean(records: Sequence[Record], field: str) -> float:
    """Return the mean of a field over splits, and over both halves of the held-out rows."""
    return float(np.mean([each[field] for each in records]))


def log_losses(record: Record, head: str) -> list[list[float]]:
    """Return the log losses to choose from: of all solved heads, or of the trained one alone."""
    found: list[list[float]] = {
        "solved": record["log_loss"],
        "trained": [record["trained_head"]],
    }[head]
    return found


def chosen_loss(records: Sequence[Record], head: str = "solved") -> float:
    """Return the log loss at the chosen λ₁, the mean over splits."""
    return float(np.mean([choose(log_losses(each, head)).log_loss for each in records]))


def twice_chosen_loss(records: Sequence[Record], head: str = "solved") -> float:
    """Return the log loss if held-out rows choose λ₂ as well, the mean over splits."""
    points: dict[int, list[list[float]]] = {}
    for each in records:
        points.setdefault(each["split"], []).extend(log_losses(each, head))
    return float(np.mean([choose(losses).log_loss for losses in points.values()]))


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
            trace = select(here, head_norm="trace")
            weakest = np.mean([each["log_loss"][-1] for each in trace])
            losses = (weakest, chosen_loss(select(here, head_norm="frobenius")), chosen_loss(trace))
            trained = figure(mean(trace, "trained_head") if epochs else None, 4)
            cells = [trained, *(figure(float(loss), 4) for loss in losses)]
            rows.append([data, features, *cells, chosen_strengths(trace)])
    return rows


def head_table(records: Sequence[Record]) -> str:
    """Make the table of λ₁: log losses of heads that were trained or solved, λ₂ = 0."""
    columns = ["data", "features", "trained head", "λ₁ = 10⁻⁴", "Frobenius", "trace", "chosen λ₁"]
    return markdown_table(columns, head_rows(records))


def feature_rows(records: Sequence[Record]) -> list[list[str]]:
    rows = []
    for data, epochs, head in product(names_of(records), (8, 30), ("solved", "trained")):
        here = select(records, data=data, method="askl", epochs=epochs, head_norm="trace")
        losses = [chosen_loss(each, head) for each in by_feature_strength(here).values()]
        cells = [figure(loss, 4) for loss in (*losses, twice_chosen_loss(here, head))]
        rows.append([data, f"{epochs} epochs", head, *cells])
    return rows


def by_feature_strength(records: Iterable[Record]) -> dict[float, list[Record]]:
    """Group records by the strength of λ₂, the weakest first."""
    groups: dict[float, list[Record]] = {}
    for each in sorted(records, key=lambda record: record["feature_strength"]):
        groups.setdefault(each["feature_strength"], []).append(each)
    return groups


def feature_table(records: Sequence[Record]) -> str:
    """Make the table of λ₂: log losses of ASKL; a solved head has the λ₁ that was chosen."""
    strengths = [f"λ₂ = {strength:g}" for strength in by_feature_strength(records)]
    columns = ["data", "features", "head", *strengths, "chosen λ₂"]
    return markdown_table(columns, feature_rows(records))
