"""Errors of the learners beside each other, in Markdown, from records only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.report import markdown_table
from benchmarks.tables.data import MEASURES, TABLES
from benchmarks.tables.learners import LEARNERS
from benchmarks.tables.run import OURS, Job
from studies.store import Key, Record

Figures = dict[str, tuple[float, float]]


def figures_of(
    records: Mapping[Key, Record], table: str, folds: Sequence[int], *, inner: bool
) -> Figures:
    """Return each learner's mean error and seconds on a table, where it has all folds."""
    measure = MEASURES[TABLES[table]]
    figures = {}
    for learner in LEARNERS:
        found = [records.get(Job(table, learner, fold, inner), {}) for fold in folds]
        if all("errors" in record for record in found):
            errors = [record["errors"][measure] for record in found]
            seconds = [record["fit_cpu_seconds"] for record in found]
            figures[learner] = (float(np.mean(errors)), float(np.mean(seconds)))
    return figures


def to_markdown(records: Mapping[Key, Record], folds: Sequence[int], *, inner: bool) -> str:
    """Write a table of errors and seconds, and the ratios of errors to the automatic model's."""
    found = {table: figures_of(records, table, folds, inner=inner) for table in TABLES}
    rows = [
        [table, MEASURES[task], *(_cell(found[table], learner) for learner in LEARNERS)]
        for table, task in TABLES.items()
    ]
    ratios = [_ratio_line(found, learner) for learner in LEARNERS if learner != OURS]
    return "\n\n".join(
        [markdown_table(["table", "measure", *LEARNERS], rows), *filter(None, ratios)]
    )


def _cell(figures: Figures, learner: str) -> str:
    if learner not in figures:
        return "-"
    error, seconds = figures[learner]
    return f"{error:.5g} ({seconds:.0f} s)"


def _ratio_line(found: Mapping[str, Figures], learner: str) -> str:
    """Compare a learner's errors with ours, over the tables that both have."""
    ratios = [
        figures[learner][0] / figures[OURS][0]
        for figures in found.values()
        if learner in figures and OURS in figures
    ]
    if not ratios:
        return ""
    better = sum(ratio > 1.0 for ratio in ratios)
    mean = float(np.exp(np.mean(np.log(ratios))))
    return (
        f"{OURS} is better than {learner} on {better} of {len(ratios)} tables; the geometric mean "
        f"of the ratio of errors is {mean:.3f}."
    )
