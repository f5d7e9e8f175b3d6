"""Table 2 of the paper from records: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from reproduction.datasets import Row, find_row
from reproduction.files import read_toml
from reproduction.protocol import METHODS
from reproduction.statistics import (
    best_methods,
    collect,
    higher_is_better,
    not_worse,
    rank_methods,
)
from studies.ranks import mean_and_deviation
from studies.store import Record

CSV_HEADER = ("dataset", "method", "n_splits", "mean", "std", "published", "unit")
UNITS = {
    "accuracy_percent": "accuracy, %",
    "rmse_0_to_100": "RMSE in [0, 100]",
    "rmse_thousand_dollars": "RMSE, 1000 dollars",
    "rmse_percent_of_range": "RMSE, % of all rows' range",
}


class Entry(NamedTuple):
    """One figure of the table, and how it compares."""

    dataset: str
    method: str
    unit: str
    n_splits: int
    mean: float
    deviation: float
    published: float | None
    is_best: bool
    is_not_worse: bool


@lru_cache
def _published() -> dict[str, Mapping[str, Any]]:
    return read_toml(Path(__file__).parent / "published.toml")


def published_mean(dataset: str, method: str, unit: str) -> float | None:
    """Return the paper's figure in a unit, or None for a data set the paper lacks.

    Between [0, 100] and a data set's extra unit the range of all its targets mediates.
    """
    table = _published().get(dataset)
    if table is None:
        return None
    figure = float(table[method][0])
    if table["unit"] == unit:
        return figure
    row = find_row(dataset)
    return figure * _size(row, table["unit"]) / _size(row, unit)


def _size(row: Row, unit: str) -> float:
    """Return how large a unit is in the targets' own."""
    if unit == "rmse_0_to_100" and row.target_range is not None:
        low, high = row.target_range
        return (high - low) / 100.0
    if row.extra_unit is not None and unit == row.extra_unit["name"]:
        return float(row.extra_unit["size"])
    raise ValueError(f"The size of the unit {unit} of {row.name} is not known.")


def make_entries(records: Iterable[Record]) -> list[Entry]:
    """Summarise records to the table's figures, in the paper's order."""
    entries = []
    for (dataset, unit), scores in collect(records).items():
        best = best_methods(scores, unit)
        close = not_worse(scores, best[0])
        entries += [
            Entry(
                dataset,
                method,
                unit,
                len(figures),
                *mean_and_deviation(list(figures.values())),
                published_mean(dataset, method, unit),
                method in best,
                method in close,
            )
            for method, figures in scores.items()
        ]
    return entries


def to_csv(records: list[Record]) -> str:
    """Format the table as CSV, one line for each data set, unit and method."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for entry in make_entries(records):
        published = "" if entry.published is None else f"{entry.published:.2f}"
        figures = (f"{entry.mean:.4f}", f"{entry.deviation:.4f}", published)
        writer.writerow((entry.dataset, entry.method, entry.n_splits, *figures, entry.unit))
    return file.getvalue()


def _grouped(records: list[Record]) -> dict[tuple[str, str], dict[str, Entry]]:
    groups: dict[tuple[str, str], dict[str, Entry]] = {}
    for entry in make_entries(records):
        groups.setdefault((entry.dataset, entry.unit), {})[entry.method] = entry
    return groups


def _splits(entries: Mapping[str, Entry]) -> str:
    counts = {entry.n_splits for entry in entries.values()}
    return "–".join(str(count) for count in sorted({min(counts), max(counts)}))


def to_markdown(records: list[Record]) -> str:
    """Format the table as Markdown: measured figures, under each the published one."""
    names = [method.upper() for method in METHODS]
    lines = [
        f"| data set | unit | splits | {' | '.join(names)} |",
        "|---" * (3 + len(names)) + "|",
    ]
    for (dataset, unit), entries in _grouped(records).items():
        arrow = "↑" if higher_is_better(unit) else "↓"
        cells = [_markdown_cell(entries.get(method)) for method in METHODS]
        row = (dataset, f"{UNITS[unit]} {arrow}", _splits(entries), *cells)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join([*lines, "", *_notes(records)]) + "\n"


def _markdown_cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    text = f"{entry.mean:.2f} ± {entry.deviation:.2f}"
    text = f"**{text}**" if entry.is_best else f"<u>{text}</u>" if entry.is_not_worse else text
    return f"{text}<br>{_comparison(entry)}" if entry.published is not None else text


def _comparison(entry: Entry) -> str:
    published = entry.published or 0.0
    return f"{published:.2f} ({entry.mean - published:+.2f})"


def _notes(records: list[Record]) -> list[str]:
    notes = [
        "Mean ± standard deviation over splits; below it the published mean and, in brackets, "
        "measured minus published. Bold: best. Underlined: not significantly worse (paired "
        "two-sided t-test over splits, 5 %)."
    ]
    ranks = rank_methods(collect(records))
    if ranks.means:
        means = ", ".join(f"{name.upper()} {mean:.2f}" for name, mean in ranks.means.items())
        notes += [
            "",
            f"Mean ranks over {ranks.n_datasets} data sets: {means}; critical difference at 5 % "
            f"{ranks.critical_difference:.2f}.",
        ]
    n_failed = sum(record["status"] == "failed" for record in records)
    return [*notes, "", f"Failed trials, left out above: {n_failed}."] if n_failed else notes


def to_latex(records: list[Record]) -> str:
    """Format the table as LaTeX (booktabs): measured figures, on a second line the published."""
    names = " & ".join(method.upper() for method in METHODS)
    lines = [
        rf"\begin{{tabular}}{{ll{'c' * len(METHODS)}}}",
        r"\toprule",
        rf"data set & unit & {names} \\",
        r"\midrule",
    ]
    for (dataset, unit), entries in _grouped(records).items():
        found = [entries.get(method) for method in METHODS]
        name, kind = dataset.replace("_", r"\_"), UNITS[unit].replace("%", r"\%")
        figures = " & ".join(_latex_cell(entry) for entry in found)
        lines.append(rf"{name} & {kind} & {figures} \\")
        if all(entry is None or entry.published is not None for entry in found):
            published = " & ".join("" if entry is None else _comparison(entry) for entry in found)
            lines.append(rf" & published & {published} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _latex_cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    text = rf"{entry.mean:.2f}$\pm${entry.deviation:.2f}"
    if entry.is_best:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if entry.is_not_worse else text


FORMATS: dict[str, Callable[[list[Record]], str]] = {
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
}
