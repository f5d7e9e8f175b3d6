"""Fit time and peak memory as rows, components and outputs grow, at fixed epochs.

Every measurement is made in a process of its own, on random rows of ten columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from benchmarks.machine import describe_machine
from benchmarks.plots import draw_scaling
from benchmarks.processes import measure_alone
from benchmarks.report import (
    argument_parser,
    figure,
    make_table,
    output_folder,
    save,
    show_progress,
    verdict,
)
from studies.diagrams import save_figure

Fit = Callable[..., dict[str, float]]


class Sweep(NamedTuple):
    """One size that grows while the others stay, and the largest slope its time may have."""

    varied: str
    values: tuple[int, ...]
    task: str
    rows: int = 20_000
    most_slope: float | None = None


class Peak(NamedTuple):
    """A use of memory on many rows, and the megabytes beside the data that it may take."""

    predict: bool
    most_mb: float


SWEEPS = (
    Sweep(
        "rows", (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000), "classification", 0, 1.05
    ),
    Sweep("components", (250, 500, 1000, 2000, 4000, 8000), "classification", most_slope=1.1),
    Sweep("outputs", (1, 2, 5, 10, 20, 50, 100, 200), "regression"),
    Sweep("components", (250, 500, 1000, 2000, 4000), "exact head"),
)
QUICK_SWEEPS = (Sweep("rows", (300, 600), "classification", 0, 1.05),)
PEAKS = {"fit": Peak(False, 400.0), "predict": Peak(True, 200.0)}


def fit_alone(sizes: dict[str, object], *flags: str) -> dict[str, float]:
    """Measure one fit in a new process."""
    options = [part for name, value in sizes.items() for part in (f"--{name}", value)]
    return measure_alone("benchmarks.one_fit", *flags, *options)


def slope(values: Sequence[float], seconds: Sequence[float]) -> float:
    """Fit the exponent p of seconds ~ values**p."""
    return float(np.polyfit(np.log(values), np.log(seconds), 1)[0])


def measure_sweep(sweep: Sweep, fixed: dict[str, object], fit: Fit) -> dict[str, Any]:
    points = []
    title = f"{sweep.task}, {sweep.varied}"
    for value in show_progress(sweep.values, title):
        sizes = {"rows": sweep.rows, "task": sweep.task, **fixed, sweep.varied: value}
        points.append({"value": value, **fit(sizes)})
    seconds = [point["seconds"] for point in points]
    upper = slice(-max(2, len(points) // 2), None)
    fitted, most = slope(sweep.values, seconds), sweep.most_slope
    return {
        **sweep._asdict(),
        "slope": fitted,
        # Costs that do not grow make the whole slope flatter.
        "slope_of_upper_half": slope(sweep.values[upper], seconds[upper]),
        "passed": None if most is None else fitted <= most,
        "points": points,
    }


def measure_peak(name: str, rows: int, fixed: dict[str, object], fit: Fit) -> dict[str, Any]:
    peak = PEAKS[name]
    measured = fit({"rows": rows, **fixed}, *["--predict"] * peak.predict)
    passed = measured["over_data_mb"] <= peak.most_mb
    return {"use": name, "rows": rows, **measured, "most_mb": peak.most_mb, "passed": passed}


def print_tables(results: dict[str, Any]) -> None:
    table = make_table(
        "Fit time ~ size ** slope", ("task", "size", "from", "to", "slope", "upper half")
    )
    for sweep in results["sweeps"]:
        ends = (
            f"{sweep['values'][end]} in {sweep['points'][end]['seconds']:.2f} s" for end in (0, -1)
        )
        limit = verdict(sweep["passed"], f" <= {sweep['most_slope']}")
        slopes = (figure(sweep["slope"]) + limit, figure(sweep["slope_of_upper_half"]))
        table.add_row(sweep["task"], sweep["varied"], *ends, *slopes)
    Console().print(table)
    table = make_table("Peak memory, MB", ("use", "rows", "seconds", "data", "beside the data"))
    for peak in results["peaks"]:
        limit = verdict(peak["passed"], f" <= {peak['most_mb']:g}")
        sizes = (str(peak["rows"]), figure(peak["seconds"]), figure(peak["data_mb"], 0))
        table.add_row(peak["use"], *sizes, figure(peak["over_data_mb"], 0) + limit)
    Console().print(table)


def main(arguments: Sequence[str] | None = None, fit: Fit = fit_alone) -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--epochs", type=int, default=1, help="of every fit (%(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="of every fit (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of every fit (%(default)s)")
    options = parser.parse_args(arguments)
    fixed = {name: getattr(options, name) for name in ("epochs", "repeats", "threads")}
    sweeps, rows = (QUICK_SWEEPS, 2000) if options.quick else (SWEEPS, 1_000_000)
    if options.quick:
        fixed |= {"repeats": 1, "components": 50}
    results: dict[str, Any] = {"machine": describe_machine(), "quick": options.quick, **fixed}
    results["sweeps"] = [measure_sweep(sweep, fixed, fit) for sweep in sweeps]
    uses = ["fit"] if options.quick else list(PEAKS)
    results["peaks"] = [
        measure_peak(name, rows, fixed, fit) for name in show_progress(uses, "peak memory")
    ]
    print_tables(results)
    folder = output_folder(options)
    save(folder, "scaling", results)
    save_figure(draw_scaling(results["sweeps"]), folder / "scaling.png", dpi=120)


if __name__ == "__main__":
    main()
