"""Whether trainings take as long as the automatic models estimate.

Their default budget counts seconds that are estimated from a training's sizes. On the first split
of each data set: estimated seconds over those it took, for every candidate that was tried, and for
all of them. A factor common to all is how fast the machine is. Run as
``python -m benchmarks.cost_estimates``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from askl import AutoSpectralKernelClassifier, AutoSpectralKernelRegressor
from askl.auto import SearchSettings
from benchmarks.data import protocol_split
from benchmarks.machine import describe_machine
from benchmarks.report import (
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
)

DATA = ("segment", "satimage", "pendigits", "abalone", "space_ga", "cpusmall")
QUANTILES = (0.05, 0.5, 0.95)
COLUMNS = ("candidate", "short", "symmetric", "estimated_seconds", "seconds")
QUICK = SearchSettings(least_seconds=1.0, most_seconds=1.0)


def measure(name: str, settings: SearchSettings) -> dict[str, Any]:
    """Fit the automatic model, and take both kinds of seconds from its leaderboard."""
    split = protocol_split(name)
    kind = AutoSpectralKernelRegressor if split.regression else AutoSpectralKernelClassifier
    model = kind(n_threads=1, random_state=0, settings=settings)
    board = model.fit(split.X_train, split.y_train).leaderboard_
    tried = np.flatnonzero(board["seconds"])
    return {"data": name, **{key: [board[key][row] for row in tried] for key in COLUMNS}}


def ratios(record: dict[str, Any]) -> dict[str, float]:
    """Compute estimated over real seconds: of all trainings, and quantiles over candidates."""
    estimated, seconds = np.array(record["estimated_seconds"]), np.array(record["seconds"])
    quantiles = np.quantile(estimated / seconds, QUANTILES)
    return {
        "all": float(estimated.sum() / seconds.sum()),
        **{f"quantile {q:g}": float(v) for q, v in zip(QUANTILES, quantiles, strict=True)},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    options = argument_parser(__doc__).parse_args(arguments)
    names = DATA[:1] if options.quick else DATA
    records = [
        measure(name, QUICK if options.quick else SearchSettings())
        for name in show_progress(names, "Fitting")
    ]
    for record in records:
        record["ratios"] = ratios(record)
    table = make_table("Estimated over real seconds", ["data", *records[0]["ratios"]])
    for record in records:
        table.add_row(record["data"], *(figure(value) for value in record["ratios"].values()))
    Console().print(table)
    results = {"machine": describe_machine(), "quick": options.quick, "records": records}
    save(output_folder(options), "cost_estimates", results)


if __name__ == "__main__":
    main()
