"""Scores, ranks and times as CSV and Markdown, from records only."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.peers.models import PEERS
from benchmarks.peers.statistics import (
    Ranks,
    Summary,
    collect,
    friedman_p_value,
    lower_is_better,
    rank_models,
    summarize,
)
from benchmarks.report import figure, markdown_table
from studies.ranks import critical_difference
from studies.store import Record

CSV_HEADER = ("dataset", "model", "n_splits", "mean", "std", "fit_seconds")

# The columns of the short table: ours, and the best known peers.
SHORT = ("askl-auto", "askl", "lightgbm", "xgboost", "catboost", "svm-tuned", "xrfm", "realmlp")

# The slow ones among the peers.
SLOW = ("catboost", "realmlp")

Summaries = dict[str, dict[str, Summary]]


def make_summaries(records: Sequence[Record]) -> Summaries:
    return {
        dataset: {model: summarize(splits) for model, splits in models.items()}
        for dataset, models in collect(records).items()
    }


def to_csv(records: Sequence[Record]) -> str:
    """One line for each model with a result on a data set."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for dataset, models in make_summaries(records).items():
        for model, found in models.items():
            figures = (found.mean, found.deviation, found.fit_seconds)
            writer.writerow((dataset, model, found.n_splits, *(f"{x:.4f}" for x in figures)))
    return file.getvalue()


def to_markdown(records: Sequence[Record]) -> str:
    """Scores, then ranks."""
    return f"{score_table(records)}\n\n{rank_table(records)}\n"


def to_short(records: Sequence[Record]) -> str:
    """Mean scores of a few models, and their mean ranks among all: the table of the README.

    The best of all models is bold. In a row without bold, the best is one that is not shown. In
    brackets is the number of splits, if most others have more.
    """
    winners = _winners(records)
    rows = []
    for dataset, models in make_summaries(records).items():
        n_usual = _usual(summary.n_splits for summary in models.values())
        cells = []
        for name in SHORT:
            text = figure(models[name].mean) if name in models else "-"
            few = name in models and models[name].n_splits < n_usual
            text += f" ({models[name].n_splits})" if few else ""
            cells.append(f"**{text}**" if name in winners[dataset] else text)
        rows.append([dataset, *cells])
    ranks = rank_models(collect(records)).means
    rows.append(
        [f"mean rank of {len(ranks)}", *(figure(ranks.get(name, math.nan)) for name in SHORT)]
    )
    return markdown_table(["data", *SHORT], rows) + "\n"


def _grid(found: Summaries, cell: Callable[[str, str], str]) -> str:
    """Make a table with a row for each data set and a column for each model with any result."""
    models = [model for model in PEERS if any(model in row for row in found.values())]
    rows = [
        [dataset, *(cell(dataset, model) if model in row else "-" for model in models)]
        for dataset, row in found.items()
    ]
    return markdown_table(["data", *models], rows)


def score_table(records: Sequence[Record]) -> str:
    """Mean ± deviation, the number of splits if most have more, and the best bold."""
    found = make_summaries(records)
    winners = _winners(records)
    n_most = max((each.n_splits for row in found.values() for each in row.values()), default=0)

    def cell(dataset: str, model: str) -> str:
        summary = found[dataset][model]
        text = figure(summary.mean)
        mark = "**" if model in winners[dataset] else ""
        spread = f" ± {figure(summary.deviation)}" if summary.n_splits > 1 else ""
        few = f" ({summary.n_splits})" if summary.n_splits < n_most else ""
        return f"{mark}{text}{spread}{mark}{few}"

    return _grid(found, cell)


def _winners(records: Sequence[Record]) -> dict[str, set[str]]:
    """Find the models with the best means of each data set, as they are shown.

    Means over fewer splits than most have do not count: one split may be an easy one.
    """
    winners = {}
    for dataset, models in collect(records).items():
        n_usual = _usual(map(len, models.values()))
        means = {
            model: figure(summarize(splits).mean)
            for model, splits in models.items()
            if len(splits) >= n_usual
        }
        best = (min if lower_is_better(models) else max)(means.values(), key=float)
        winners[dataset] = {model for model, mean in means.items() if mean == best}
    return winners


def _usual(counts: Iterable[int]) -> int:
    """Return the count that half of the models reach, or a little more than half."""
    ordered = sorted(counts)
    return ordered[len(ordered) // 2]


def winner_lines(records: Sequence[Record]) -> str:
    """List the data sets on which each model has the best mean, the most frequent winner first."""
    won: dict[str, list[str]] = {}
    for dataset, winners in _winners(records).items():
        for model in sorted(winners, key=list(PEERS).index):
            won.setdefault(model, []).append(dataset)
    ordered = sorted(won.items(), key=lambda item: -len(item[1]))
    return "\n".join(f"- `{model}`, {len(sets)}: {', '.join(sets)}" for model, sets in ordered)


def cost_table(records: Sequence[Record]) -> str:
    """Wall-clock seconds of the automatic model and of the two slowest peers, in one run."""
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        found.setdefault(record["dataset"], {})[record["model"]] = record
    rows = []
    for dataset, models in found.items():
        if all(model in models for model in ("askl-auto", *SLOW)):
            seconds = [_seconds(models[model]) for model in ("askl-auto", *SLOW)]
            cells = [_seconds_cell(models[model]) for model in ("askl-auto", *SLOW)]
            rows.append([dataset, *cells, f"{100.0 * seconds[0] / max(seconds[1:]):.0f} %"])
    return markdown_table(["data", "askl-auto", *SLOW, "share of the slower"], rows)


def _seconds(record: Record) -> float:
    """Seconds to fit; for a fit that exceeded the time limit, the limit."""
    return float(record["fit_seconds" if record["status"] == "done" else "time_limit"])


def _seconds_cell(record: Record) -> str:
    return ("" if record["status"] == "done" else "> ") + figure(_seconds(record), 1)


def time_table(records: Sequence[Record]) -> str:
    """Mean processor seconds and, in brackets, wall-clock seconds."""
    found = make_summaries(records)

    def cell(dataset: str, model: str) -> str:
        summary = found[dataset][model]
        return f"{figure(summary.fit_cpu_seconds, 1)} ({figure(summary.fit_seconds, 1)})"

    return _grid(found, cell)


def rank_table(records: Sequence[Record]) -> str:
    """Mean ranks, best first, with notes on how they are computed."""
    ranks = rank_models(collect(records))
    n_datasets = len(ranks.n_common)
    if not n_datasets:
        return "No ranks: there is no data set with a split that all models have."
    last = {model: sum(model in names for names in ranks.missing.values()) for model in ranks.means}
    rows = [[model, figure(mean), str(last[model])] for model, mean in ranks.means.items()]
    columns = ["model", f"mean rank over {n_datasets} data sets", "data sets without a result"]
    return "\n\n".join([markdown_table(columns, rows), *_rank_notes(ranks)])


def _rank_notes(ranks: Ranks) -> list[str]:
    """How the ranks are computed, and which differences are significant."""
    n_datasets, n_models = ranks.ranks.shape
    notes = [
        "Models are ranked by their mean score over the splits that all models with a result have "
        f"({_counts(ranks.n_common)}). Models without a result on a data set share the last rank "
        "there. A data set on which less than half of the models have a result is left out."
    ]
    difference = critical_difference(n_models, n_datasets)
    if n_datasets > 1 and n_models > 2:
        notes.append(
            "Friedman's test of the hypothesis that all models are equally good: "
            f"p = {friedman_p_value(ranks.ranks):.2g}. By Nemenyi's test at 5 %, mean ranks that "
            f"differ by less than {figure(difference)} are not significantly different."
        )
    else:
        notes.append(
            "There are too few data sets or models for a test of the differences of ranks."
        )
    return notes


def _counts(n_common: Mapping[str, int]) -> str:
    return ", ".join(f"{dataset} {count}" for dataset, count in n_common.items())


FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {
    "csv": to_csv,
    "markdown": to_markdown,
    "short": to_short,
}
